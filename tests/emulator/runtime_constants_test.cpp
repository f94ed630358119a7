// Function constants that have no value, arguments that depend on them, and the order that fences make: each fault
// beside a twin that is right.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "metal/emulator/compile/files.h"
#include "tests/emulator/bench.h"

namespace assay::metal::emulator::test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

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

/// Group 0 hands data to group 1. `before` stands behind the write, `after` in front of the read.
std::vector<Report> handed_over(const std::string& before, const std::string& after) {
  Bench bench;
  const std::string source = prelude + R"(
kernel void f(device int* data, device atomic_uint* flag, uint g [[threadgroup_position_in_grid]]) {
  if (g == 0) {
    data[0] = 7;
    )" + before + R"(
  } else {
    )" + after + R"(
    data[1] = data[0];
  }
})";
  const auto function = or_throw(or_throw(bench.device.new_library(source))->new_function("f"));
  EXPECT_FALSE(bench.with({0, 0}).with({0, 0}).run(function, {2}, {1}));
  return bench.reports();
}

TEST(Fences, OrderWhatAtomicsConnect) {
  const std::string fence = "atomic_thread_fence(mem_flags::mem_device, memory_order_seq_cst); ";
  const std::string set = "atomic_store_explicit(flag, 1u, memory_order_relaxed); ";
  const std::string look = "if (atomic_load_explicit(flag, memory_order_relaxed) == 0) return; ";
  EXPECT_THAT(handed_over(fence + set, look + fence), IsEmpty());
  const std::pair<std::string, std::string> faults[] = {
      {set, look},
      {set, look + fence},
      {fence + set, look},
      {set + fence, look + fence},
      {fence + set, fence + look},
      {fence, fence},
      {"atomic_thread_fence(mem_flags::mem_threadgroup); " + set, look + fence},
      {"atomic_thread_fence(mem_flags::mem_device, memory_order_relaxed); " + set, look + fence},
  };
  for (const auto& [before, after] : faults) {
    const auto reports = handed_over(before, after);
    ASSERT_THAT(reports, SizeIs(1)) << before << " | " << after;
    EXPECT_EQ(reports[0].check, Check::racecheck);
  }
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
