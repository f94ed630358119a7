// Real .metal text through the whole emulator: a planted fault of each kind is reported at its line and column, for
// both accesses, and the corrected twin is silent.
//
// In a source, ^ marks the place of the report and @ that of the other access; both marks are removed. The compiler
// places a read at its expression and a write at its `=`.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tests/emulator/bench.h"
#include "tests/matchers.h"

namespace assay::metal::emulator::test {
namespace {

/// A source without its marks, and the places of the marks.
struct Marked {
  explicit Marked(const std::string& text) {
    std::uint32_t line = 1, column = 1;
    for (const char letter : text) {
      if (letter == '^') report = {"", line, column};
      if (letter == '@') other = {"", line, column};
      if (letter == '^' || letter == '@') continue;
      source += letter;
      ++column;
      if (letter == '\n') ++line, column = 1;
    }
  }
  std::string source;
  SourcePosition report, other;
};

std::string with_prelude(const std::string& kernel) {
  return "#include <metal_stdlib>\nusing namespace metal;\n" + kernel;
}

/// Runs the first kernel on 128 threads in groups of 64, with two buffers of 128 floats, of which the first is 0, 1,
/// ...
std::vector<Report> reports_with(const std::string& source, const FunctionConstants& constants = {}) {
  EmulatorDevice device;
  const auto library = or_throw(device.new_library(source));
  const auto pipeline =
      or_throw(device.new_pipeline(or_throw(library->new_function(library->function_names()[0], constants))));
  std::vector<float> values(128);
  std::iota(values.begin(), values.end(), 0.0F);
  const auto in = or_throw(device.new_buffer(std::as_bytes(std::span(values)), "in"));
  const auto out = or_throw(device.new_buffer(128 * sizeof(float), "out"));
  const auto commands = device.new_command_queue()->command_buffer();
  const auto encoder = or_throw(commands->compute_encoder());
  encoder->set_pipeline(pipeline);
  encoder->set_buffer(in, 0, 0);
  encoder->set_buffer(out, 0, 1);
  encoder->dispatch_threads({128}, {64});
  EXPECT_TRUE(encoder->end_encoding() && commands->commit() && commands->wait_until_completed());
  return device.reports();
}

void expect_at(const SourcePosition& position, const SourcePosition& expected) {
  EXPECT_THAT(position.file, EndsWith("source.metal"));
  EXPECT_EQ(position.line, expected.line);
  EXPECT_EQ(position.column, expected.column);
}

/// The one report of `text`, which must be of this check and at the marks.
Report expect_report(Check check, const std::string& text) {
  const Marked marked(with_prelude(text));
  const std::vector<Report> reports = reports_with(marked.source);
  EXPECT_THAT(reports, SizeIs(1));
  if (reports.empty()) return {};
  EXPECT_EQ(reports[0].check, check) << to_string(reports[0]);
  expect_at(reports[0].event.position, marked.report);
  EXPECT_EQ(reports[0].other.has_value(), marked.other.line != 0);
  if (reports[0].other && marked.other.line != 0) expect_at(reports[0].other->position, marked.other);
  return reports[0];
}

void expect_silent(const std::string& text) {
  for (const Report& report : reports_with(with_prelude(text))) ADD_FAILURE() << to_string(report);
}

TEST(Metal, MemcheckAtItsPlace) {
  const Report report = expect_report(Check::memcheck, R"(
kernel void shift(device const float* in, device float* out, uint i [[thread_position_in_grid]]) {
  out[i] = ^in[i + 1];
})");
  EXPECT_EQ(report.address, "buffer(0) `in` + 512 (its length is 512 bytes)");
  EXPECT_EQ(report.event.thread.in_grid.width, 127U);
  expect_silent(R"(
kernel void shift(device const float* in, device float* out, uint i [[thread_position_in_grid]]) {
  out[i] = in[min(i + 1, 127u)];
})");
}

TEST(Metal, MemcheckOfAWrite) {
  expect_report(Check::memcheck, R"(
kernel void shift(device const float* in, device float* out, uint i [[thread_position_in_grid]]) {
  out[i + 1] ^= in[i];
})");
}

TEST(Metal, MemcheckOfAThreadgroupArray) {
  const std::string rest = R"(
  uint t [[thread_index_in_threadgroup]], uint i [[thread_position_in_grid]]) {
  threadgroup float row[64];
  device float* to = out;
  threadgroup float* from = row;
  row[t] = in[i];
  threadgroup_barrier(mem_flags::mem_threadgroup);
)";
  const std::string head = "kernel void turn(device const float* in, device float* out,";
  const Report report = expect_report(Check::memcheck, head + rest + "  to[i] = ^from[64 - t];\n}");
  EXPECT_EQ(report.address, "threadgroup variable `row` + 256 (its length is 256 bytes)");
  expect_silent(head + rest + "  to[i] = from[63 - t];\n}");
}

TEST(Metal, MemcheckOfAPrivateArray) {
  const auto kernel = [](const char* access) {
    return std::string(R"(
kernel void own(device const float* in, device float* out, uint i [[thread_position_in_grid]]) {
  float mine[4] = {in[i], 0, 0, 0};
  out[i] = )") +
           access + ";\n}";
  };
  expect_silent(kernel("mine[i % 4]"));
  EXPECT_EQ(expect_report(Check::memcheck, kernel("^mine[i % 5]")).count, 25U);
}

TEST(Metal, MemcheckOfTheLengthOfAVectorMatrixOrArray) {
  const auto report = [](const std::string& declared, const std::string& access, int length) {
    const auto kernel = [&](int indices, const std::string& text) {
      return "kernel void own(device const float* in, device float* out, uint i [[thread_position_in_grid]]) {\n"
             "  const int k = int(i) % " +
             std::to_string(indices) + ";\n  " + declared + "\n  " + text + "\n}";
    };
    std::string unmarked = access;
    std::erase(unmarked, '^');
    expect_silent(kernel(length, unmarked));
    return expect_report(Check::memcheck, kernel(length + 1, access)).address;
  };
  EXPECT_EQ(report("float3 v = in[i];", "out[i] = ^v[k];", 3), "index 3 of the 3 components of a vector");
  EXPECT_EQ(report("half4 v = 0;", "^v[k] = 1; out[i] = v.x;", 4), "index 4 of the 4 components of a vector");
  EXPECT_EQ(report("packed_float3 v = float3(0);", "out[i] = ^v[k];", 3), "index 3 of the 3 components of a vector");
  EXPECT_EQ(report("float2x3 m(in[i]);", "out[i] = ^m[k][2];", 2), "index 2 of the 2 columns of a matrix");
  EXPECT_EQ(report("float2x3 m(in[i]);", "out[i] = ^m[1][k];", 3), "index 3 of the 3 components of a vector");
  EXPECT_EQ(report("array<float, 5> a = {0};", "out[i] = ^a[k];", 5), "index 5 of the 5 elements of an array");
}

TEST(Metal, InitcheckAtItsPlace) {
  const Report report = expect_report(Check::initcheck, R"(
kernel void add(device const float* in, device float* out, uint i [[thread_position_in_grid]]) {
  const float before = ^out[i];
  out[i] = before + in[i];
})");
  EXPECT_EQ(report.count, 128U);
  expect_silent(R"(
kernel void add(device const float* in, device float* out, uint i [[thread_position_in_grid]]) {
  out[i] = 1;
  const float before = out[i];
  out[i] = before + in[i];
})");
}

std::string neighbours(const char* flags, bool marked) {
  return std::string(R"(
kernel void turn(device const float* in, device float* out, uint t [[thread_index_in_threadgroup]],
                 uint i [[thread_position_in_grid]]) {
  threadgroup float row[64];
  row[t] )") +
         (marked ? "@" : "") + "= in[i];\n  threadgroup_barrier(mem_flags::" + flags +
         ");\n  out[i] = " + (marked ? "^" : "") + "row[63 - t];\n}";
}

TEST(Metal, RacecheckAtBothPlaces) {
  const Report report = expect_report(Check::racecheck, neighbours("mem_device", true));
  EXPECT_THAT(report.address, testing::StartsWith("threadgroup variable `row` + "));
  EXPECT_EQ(report.event.action, "read of 4 bytes");
  ASSERT_TRUE(report.other);
  EXPECT_EQ(report.other->action, "earlier write");
  EXPECT_EQ(report.event.thread.in_group.width + report.other->thread.in_group.width, 63U);
  expect_report(Check::racecheck, neighbours("mem_none", true));
  expect_silent(neighbours("mem_threadgroup", false));
}

TEST(Metal, RacecheckAcrossThreadgroups) {
  const Report report = expect_report(Check::racecheck, R"(
kernel void last(device const float* in, device float* out, uint g [[threadgroup_position_in_grid]],
                 uint t [[thread_index_in_threadgroup]]) {
  if (t == 5) out[0] ^@= in[g];
})");
  ASSERT_TRUE(report.other);
  EXPECT_NE(report.event.thread.group.width, report.other->thread.group.width);
  expect_silent(R"(
kernel void last(device const float* in, device float* out, uint g [[threadgroup_position_in_grid]],
                 uint t [[thread_index_in_threadgroup]]) {
  if (t == 5) out[g] = in[g];
})");
}

/// An optimiser would remove the read.
TEST(Metal, RacecheckOfAReadWhoseValueNobodyUses) {
  expect_report(Check::racecheck, R"(
kernel void unused(device const float* in, device float* out, uint t [[thread_index_in_threadgroup]],
                   uint i [[thread_position_in_grid]]) {
  out[i] @= in[i];
  if (t > 0) (void)(float)^out[i - 1];
})");
}

/// Several OS threads record no reads of an argument that is `const`.
TEST(Metal, RacecheckOfAWriteThroughAConstArgument) {
  const Report report = expect_report(Check::racecheck, R"(
kernel void hidden(device const float* in, device float* out, uint i [[thread_position_in_grid]]) {
  out[i] = @in[min(i + 1, 127u)];
  if (i > 0) ((device float*)in)[i] ^= 1;
})");
  ASSERT_TRUE(report.other);
  EXPECT_EQ(report.other->action, "earlier read");
  expect_silent(R"(
kernel void hidden(device const float* in, device float* out, uint i [[thread_position_in_grid]]) {
  out[i] = in[i];
  if (i > 0) ((device float*)in)[i] = 1;
})");
}

/// The same word, of which halves and bytes have had records of their own.
TEST(Metal, RacecheckOfAVectorOverHalves) {
  const auto kernel = [](const char* flags, const char* read) {
    return fmt::format(R"(
kernel void turn(device const float* in, device float* out, uint t [[thread_index_in_threadgroup]],
                 uint i [[thread_position_in_grid]]) {{
  threadgroup half row[256];
  for (uint n = 0; n < 4; ++n) row[4 * t + n] {}= half(in[i]);
  threadgroup_barrier(mem_flags::{});
  out[i] = float((*(threadgroup half4*)(row + 4 * (63 - t))).{}x);
}})",
                       *read ? "@" : "", flags, read);
  };
  expect_report(Check::racecheck, kernel("mem_device", "^"));
  expect_silent(kernel("mem_threadgroup", ""));
}

/// An optimiser would make one read of both.
TEST(Metal, EqualReadsOfTwoBranchesStayApart) {
  const Report report = expect_report(Check::memcheck, R"(
kernel void branches(device const float* in, device float* out, uint i [[thread_position_in_grid]]) {
  float x = 0;
  if (i % 2 == 0)
    x = in[i];
  else
    x = ^in[i + 64];
  out[i] = x;
})");
  EXPECT_EQ(report.count, 32U);
}

TEST(Metal, SynccheckAtBothPlaces) {
  expect_report(Check::synccheck, R"(
kernel void parts(device const float* in, device float* out, uint i [[thread_position_in_grid]]) {
  if (i % 2 == 0)
    ^threadgroup_barrier(mem_flags::mem_none);
  else
    @threadgroup_barrier(mem_flags::mem_none);
  out[i] = in[i];
})");
  expect_silent(R"(
kernel void parts(device const float* in, device float* out, uint i [[thread_position_in_grid]]) {
  threadgroup_barrier(mem_flags::mem_none);
  out[i] = in[i];
})");
}

TEST(Metal, SynccheckOfThreadsThatLeave) {
  const Marked marked(with_prelude(R"(
kernel void @leave(device const float* in, device float* out, uint i [[thread_position_in_grid]]) {
  if (i >= 100) return;
  ^threadgroup_barrier(mem_flags::mem_device);
  out[i] = in[i];
})"));
  const std::vector<Report> reports = reports_with(marked.source);
  ASSERT_THAT(reports, SizeIs(1));
  EXPECT_EQ(reports[0].check, Check::synccheck);
  expect_at(reports[0].event.position, marked.report);
  ASSERT_TRUE(reports[0].other);
  EXPECT_EQ(reports[0].other->thread.in_grid.width, 100U);
  expect_at(reports[0].other->position, marked.other);
}

TEST(Metal, FunctionConstantsChooseTheKernel) {
  const std::string source = with_prelude(R"(
constant bool shifts [[function_constant(0)]];
kernel void shift(device const float* in, device float* out, uint i [[thread_position_in_grid]]) {
  out[i] = in[shifts ? i + 1 : i];
})");
  EXPECT_THAT(reports_with(source, FunctionConstants().set(0, false)), IsEmpty());
  EXPECT_THAT(reports_with(source, FunctionConstants().set(0, true)), SizeIs(1));
}

TEST(Metal, AFileIsReadAgainWhenItChanges) {
  const std::filesystem::path path = std::filesystem::path(testing::TempDir()) / "assay_reload_test.metal";
  const auto write = [&](const char* name, int seconds) {
    std::ofstream(path) << with_prelude("kernel void " + std::string(name) + "(device float* x) { x[0] = 1; }\n");
    std::filesystem::last_write_time(path,
                                     std::filesystem::file_time_type::clock::now() + std::chrono::seconds(seconds));
  };
  EmulatorDevice device;
  write("first", 0);
  const auto library = or_throw(device.new_library_from_file(path));
  const auto old_function = or_throw(library->new_function("first"));
  EXPECT_FALSE(or_throw(library->reload_if_changed()));
  write("second", 10);
  EXPECT_TRUE(or_throw(library->reload_if_changed()));
  EXPECT_THAT(library->function_names(), testing::ElementsAre("second"));
  EXPECT_TRUE(device.new_pipeline(old_function)) << "what was made before stays";
  write("third(", 20);
  EXPECT_EQ(library->reload_if_changed().error().kind, Error::Kind::compile);
  EXPECT_THAT(library->function_names(), testing::ElementsAre("second"));
  std::filesystem::remove(path);
  EXPECT_EQ(device.new_library_from_file(path).error().kind, Error::Kind::environment);
}

TEST(Metal, AnUncheckedDeviceFindsTheSameValues) {
  EmulatorOptions options;
  options.is_checked = false;
  EmulatorDevice device(options);
  const auto library = or_throw(device.new_library(with_prelude(R"(
kernel void sums(device int* out, uint i [[thread_position_in_grid]]) {
  threadgroup int total[1];
  if (i % 64 == 0) total[0] = simd_sum(1);
  threadgroup_barrier(mem_flags::mem_threadgroup);
  out[i] = total[0] + simd_sum(int(i));
})")));
  const auto pipeline = or_throw(device.new_pipeline(or_throw(library->new_function("sums"))));
  const auto out = or_throw(device.new_buffer(128 * sizeof(std::int32_t), "out"));
  const auto commands = device.new_command_queue()->command_buffer();
  const auto encoder = or_throw(commands->compute_encoder());
  encoder->set_pipeline(pipeline);
  encoder->set_buffer(out, 0, 0);
  encoder->dispatch_threads({128}, {64});
  EXPECT_TRUE(encoder->end_encoding() && commands->commit() && commands->wait_until_completed());
  const auto* const values = reinterpret_cast<const std::int32_t*>(out->contents());
  EXPECT_EQ(values[0], 1 + 31 * 16);
  EXPECT_EQ(values[127], 1 + 31 * 16 + 32 * 96);
}

}  // namespace
}  // namespace assay::metal::emulator::test
