// Function constants that have no value, arguments that depend on them, and the order that fences make: each fault
// beside a twin that is right.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "metal/emulator/compile/files.h"
#include "tests/emulator/bench.h"
#include "tests/matchers.h"

namespace assay::metal::emulator::test {
namespace {

const std::string prelude = "#include <metal_stdlib>\nusing namespace metal;\n";

std::string refusal_of(const std::string& source, const FunctionConstants& constants = {}) {
  EmulatorDevice device;
  const auto function = or_throw(device.new_library(prelude + source))->new_function("f", constants);
  return function ? "" : function.error().text;
}

TEST(FunctionConstants, ThatAKernelUsesMustHaveValues) {
  const std::string kernel = "kernel void f(device int* x) { x[0] = helper(); }";
  const std::string constant = "constant int n [[function_constant(7)]];\n";
  const std::string text = "function constant 7 `n`: kernel f uses it, and it has no value";
  EXPECT_EQ(refusal_of(constant + "int helper() { return n; }\n" + kernel), text);
  EXPECT_EQ(refusal_of(constant + "constant int m = n + 1;\nint helper() { return m; }\n" + kernel), text);
  FunctionConstants given;
  given.set(7, 3);
  EXPECT_EQ(refusal_of(constant + "int helper() { return n; }\n" + kernel, given), "");
  EXPECT_EQ(refusal_of(constant + "int other() { return n; }\nint helper() { return 1; }\n" + kernel), "");
  EXPECT_EQ(refusal_of(constant + "int helper() { return -n; }\n" + kernel), text);
  EXPECT_EQ(refusal_of(constant + "int helper() { return int{n}; }\n" + kernel), text);
  EXPECT_EQ(
      refusal_of(constant + "struct S { int n() const { return 1; } };\nint helper() { return S().n(); }\n" + kernel),
      "");
  EXPECT_EQ(refusal_of(constant + "int helper() { int n; return 1; }\n" + kernel), "");
  EXPECT_EQ(refusal_of(constant + "struct S { int m = n; };\nint helper() { const S s; return s.m; }\n" + kernel),
            text);
  EXPECT_EQ(refusal_of(constant +
                       "constant int m = is_function_constant_defined(n) ? n : 4;\n"
                       "int helper() { return m; }\n" +
                       kernel),
            "");
}

/// As published kernels are: the argument is read before the branch that asks whether it is there.
const std::string with_bias = R"(
constant bool has_bias [[function_constant(0)]];
constant bool has_none = !has_bias;
struct Shape { int n; int m; };
kernel void f(device int* x [[buffer(0)]], device int* bias [[buffer(1), function_constant(has_bias)]],
              constant Shape& shape [[buffer(2), function_constant(has_bias)]],
              device float* other [[buffer(1), function_constant(has_none)]],
              uint i [[thread_position_in_grid]]) {
  const int n = shape.n, b = bias[i];
  x[i] = 5;
  if (has_bias) x[i] = n + b;
})";

struct Outcome {
  std::vector<Report> reports;
  std::vector<std::int32_t> x;
  std::size_t arguments;
};

Outcome run_with_bias(bool has_bias) {
  Bench bench;
  FunctionConstants constants;
  constants.set(0, has_bias);
  const auto function = or_throw(or_throw(bench.device.new_library(prelude + with_bias))->new_function("f", constants));
  for (int buffer = 0; buffer < (has_bias ? 3 : 2); ++buffer) bench.with({1, 2, 3, 4});
  EXPECT_FALSE(bench.run(function, {4}, {4}));
  const auto x = bench.ints(0);
  return {bench.reports(), {x.begin(), x.end()}, function->arguments().size()};
}

TEST(FunctionConstants, DecideWhichArgumentsThereAre) {
  const Outcome present = run_with_bias(true);
  EXPECT_THAT(present.reports, IsEmpty());
  EXPECT_EQ(present.x, (std::vector<std::int32_t>{2, 3, 4, 5}));
  EXPECT_EQ(present.arguments, 4U);
}

TEST(FunctionConstants, LetADeadReadOfAnAbsentArgumentPass) {
  const Outcome absent = run_with_bias(false);
  EXPECT_THAT(absent.reports, IsEmpty());
  EXPECT_EQ(absent.x, (std::vector<std::int32_t>{5, 5, 5, 5}));
  EXPECT_EQ(absent.arguments, 3U);  // x, other, i
}

TEST(FunctionConstants, DoNotLetAnAbsentArgumentBeWritten) {
  std::string source = prelude + R"(
constant bool has_bias [[function_constant(0)]];
kernel void f(device int* x [[buffer(0)]], device int* bias [[buffer(1), function_constant(has_bias)]]) {
  const int b = bias[0];
  x[0] = 5;
  WRITE
})";
  for (const bool is_written : {false, true}) {
    std::string text = source;
    text.replace(text.find("WRITE"), 5, is_written ? "bias[0] = b;" : "");
    Bench bench;
    FunctionConstants constants;
    constants.set(0, false);
    const auto function = or_throw(or_throw(bench.device.new_library(text))->new_function("f", constants));
    EXPECT_EQ(bench.unwritten(1).run(function, {1}, {1}).has_value(), is_written);
    EXPECT_EQ(bench.ints(0)[0], 5);
    const auto reports = bench.reports();
    ASSERT_THAT(reports, SizeIs(is_written ? 1 : 0));
    if (!is_written) continue;
    EXPECT_EQ(reports[0].check, Check::memcheck);
    EXPECT_EQ(reports[0].event.position.line, 8U);
    EXPECT_THAT(reports[0].address, HasSubstr("buffer(1) `bias`, absent since its function constant is false, + 0"));
  }
}

/// What stands behind the write of the one, and in front of the read of the other.
struct Handing {
  std::string before, after;
};

/// For each, whether racecheck is the only report: group 0 hands data to group 1. One shader has them all, since its
/// compilation takes most of the time.
std::vector<bool> races(const std::vector<Handing>& all) {
  std::string source = prelude;
  for (std::size_t n = 0; n < all.size(); ++n)
    source += "kernel void f" + std::to_string(n) +
              "(device int* data, device atomic_uint* flag, uint g [[threadgroup_position_in_grid]]) {\n"
              "  if (g == 0) {\n    data[0] = 7;\n    " +
              all[n].before + "\n  } else {\n    " + all[n].after + "\n    data[1] = data[0];\n  }\n}\n";
  Bench bench;
  const auto library = or_throw(bench.device.new_library(source));
  bench.with({0, 0}).with({0, 0});
  std::vector<bool> found;
  for (std::size_t n = 0; n < all.size(); ++n) {
    std::ranges::fill(bench.ints(1), 0);
    bench.device.clear_reports();
    EXPECT_FALSE(bench.run(or_throw(library->new_function("f" + std::to_string(n))), {2}, {1}));
    found.push_back(!bench.reports().empty());
    EXPECT_THAT(kinds(bench.reports()), testing::AnyOf("", "racecheck")) << all[n].before << " | " << all[n].after;
  }
  return found;
}

void expect_races(bool expected, const std::vector<Handing>& all) {
  const auto found = races(all);
  for (std::size_t n = 0; n < all.size(); ++n) EXPECT_EQ(found[n], expected) << all[n].before << " | " << all[n].after;
}

const std::string set = "atomic_store_explicit(flag, 1u, memory_order_relaxed); ";
const std::string look = "if (atomic_load_explicit(flag, memory_order_relaxed) == 0) return; ";

std::string fence_of(const std::string& order, const std::string& scope = "thread_scope_device") {
  return "atomic_thread_fence(mem_flags::mem_device, memory_order_" + order + ", " + scope + "); ";
}
const std::string fence = fence_of("seq_cst");

TEST(Fences, OrderWhatAtomicsConnect) {
  expect_races(false, {{fence + set, look + fence}});
  expect_races(true, {{set, look},
                      {set, look + fence},
                      {fence + set, look},
                      {set + fence, look + fence},
                      {fence + set, fence + look},
                      {fence, fence},
                      {"atomic_thread_fence(mem_flags::mem_threadgroup); " + set, look + fence},
                      {fence_of("relaxed") + set, look + fence}});
}

TEST(Fences, ReleaseAndAcquireEachTheirSide) {
  std::vector<Handing> right;
  for (const char* const first : {"release", "acq_rel"})
    for (const char* const second : {"acquire", "acq_rel"})
      right.push_back({fence_of(first) + set, look + fence_of(second)});
  const std::string swap = "atomic_exchange_explicit(flag, 1u, memory_order_relaxed); ";
  right.push_back({fence + swap, swap + fence});
  expect_races(false, right);
  // The flag has to be written by the one and read by the other.
  expect_races(true, {{fence_of("acquire") + set, look + fence_of("acquire")},
                      {fence_of("release") + set, look + fence_of("release")},
                      {fence + "if (atomic_load_explicit(flag, memory_order_relaxed) == 9) return; ",
                       "if (atomic_load_explicit(flag, memory_order_relaxed) == 9) return; " + fence},
                      {fence + set, set + fence}});
}

TEST(Fences, OrderAsFarAsTheirScopeReaches) {
  std::vector<Handing> wrong;
  for (const char* const scope : {"thread_scope_thread", "thread_scope_simdgroup", "thread_scope_threadgroup"}) {
    wrong.push_back({fence_of("seq_cst", scope) + set, look + fence});
    wrong.push_back({fence + set, look + fence_of("seq_cst", scope)});
  }
  expect_races(true, wrong);
  expect_races(false, {{fence_of("seq_cst", "thread_scope(3)") + set, look + fence}});
}

TEST(Atomics, OrderWhatTheirOwnOrderPromises) {
  const auto store = [](const std::string& order) {
    return "atomic_store_explicit(flag, 1u, memory_order_" + order + "); ";
  };
  const auto load = [](const std::string& order) {
    return "if (atomic_load_explicit(flag, memory_order_" + order + ") == 0) return; ";
  };
  expect_races(false, {{store("release"), load("acquire")},
                       {store("seq_cst"), load("seq_cst")},
                       {store("release"), look + fence_of("acquire")},
                       {"atomic_fetch_add_explicit(flag, 1u, memory_order_acq_rel); ", load("acquire")},
                       {"uint is = 0; atomic_compare_exchange_weak_explicit(flag, &is, 1u, memory_order_release, "
                        "memory_order_relaxed); ",
                        load("acquire")}});
  expect_races(true, {{store("release"), load("relaxed")}, {store("relaxed"), load("acquire")}});
}

/// All threads of a group write, a barrier, one thread raises the flag; one thread of the next group sees it, a
/// barrier, and all threads read. `first` and `second` are flags of the barriers.
std::vector<Report> handed_over_by_groups(const std::string& first, const std::string& second) {
  Bench bench;
  const std::string source = prelude + R"(
kernel void f(device int* data, device atomic_uint* flag, uint g [[threadgroup_position_in_grid]],
              uint t [[thread_position_in_threadgroup]]) {
  if (g == 0) {
    data[t] = int(t);
    threadgroup_barrier(mem_flags::)" +
                             first + R"();
    if (t == 0) { )" + fence_of("release") +
                             set + R"( }
  } else {
    if (t == 0) { )" + look + fence_of("acquire") +
                             R"( }
    threadgroup_barrier(mem_flags::)" +
                             second + R"();
    data[64 + t] = data[63 - t];
  }
})";
  const auto function = or_throw(or_throw(bench.device.new_library(source))->new_function("f"));
  EXPECT_FALSE(bench.with(zeros(128)).with({0}).run(function, {128}, {64}));
  return bench.reports();
}

TEST(Fences, AreCarriedOnByBarriers) {
  EXPECT_THAT(handed_over_by_groups("mem_device", "mem_device"), IsEmpty());
  EXPECT_EQ(kinds(handed_over_by_groups("mem_threadgroup", "mem_device")), "racecheck");
  EXPECT_EQ(kinds(handed_over_by_groups("mem_device", "mem_none")), "racecheck");
}

/// The index is a private variable's own type, and the array's name is that of the file.
TEST(IndexOutOfBounds, IsShownWithItsSignAndItsArray) {
  const auto folder = TemporaryFolder::make(std::filesystem::temp_directory_path()).value();
  const auto file = folder.path() / "own.metal";
  ASSERT_TRUE(
      write_file(file, "kernel void f(device int* x) {\n  int mine[4] = {1, 2, 3, 4};\n  x[0] = mine[x[0]];\n}\n"));
  Bench bench;
  const auto function = or_throw(or_throw(bench.device.new_library_from_file(file))->new_function("f"));
  EXPECT_TRUE(bench.with({-8}).run(function, {1}, {1}));
  ASSERT_THAT(bench.reports(), SizeIs(1));
  EXPECT_EQ(bench.reports()[0].address, "index -8 of `mine`, 'int[4]'");
}

}  // namespace
}  // namespace assay::metal::emulator::test
