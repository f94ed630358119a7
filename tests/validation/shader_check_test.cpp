// A .metal kernel checked from a test of C++: what docs/metal-run.md shows.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "tests/matchers.h"
#include "tests/refusal.h"
#include "validation/shader/check.h"

namespace assay::validation {
namespace {

/// The file of this test: ctest runs tests side by side, and each has a shader of its own.
std::filesystem::path shader_file() {
  const std::string test = testing::UnitTest::GetInstance()->current_test_info()->name();
  return std::filesystem::path(testing::TempDir()) / ("shader_check_" + test + ".metal");
}

/// A shader that sums in groups of 64, with `barrier` between two reads of a neighbour.
ShaderScript sums(const std::string& barrier) {
  const auto file = shader_file();
  std::ofstream(file) << R"(#include <metal_stdlib>
using namespace metal;
kernel void sums(device const float* in [[buffer(0)]], device float* out [[buffer(1)]],
                 uint tid [[thread_position_in_threadgroup]], uint gid [[thread_position_in_grid]],
                 uint group [[threadgroup_position_in_grid]]) {
  threadgroup float part[64];
  part[tid] = in[gid];
  for (uint width = 32; width > 0; width /= 2) {
    )" << barrier << R"(
    if (tid < width) part[tid] += part[tid + width];
  }
  if (tid == 0) out[group] = part[0];
}
)";
  ShaderScript script;
  script.source = file;
  script.arrays = {{"in", "random:128"}, {"out", "unset:2"}};
  script.passes = {{.function = "sums", .buffers = {{0, {"in"}}, {1, {"out"}}}, .grid = {128}, .group = {64}}};
  return script;
}

TEST(CheckShader, PassesARightKernelAndHasItsValues) {
  ShaderScript script = sums("threadgroup_barrier(mem_flags::mem_threadgroup);");
  script.arrays["in"] = "1";
  for (int n = 1; n < 128; ++n) script.arrays["in"] += n < 64 ? ",1" : ",0.5";
  const ShaderOutcome outcome = check_shader(script);
  EXPECT_TRUE(outcome.passed()) << outcome;
  EXPECT_EQ(to_string(outcome), "nothing found");
  EXPECT_EQ(values<float>(outcome, "out"), (std::vector<float>{64, 32}));
  EXPECT_THROW(values<double>(outcome, "out"), std::invalid_argument);
  EXPECT_THROW(values<float>(outcome, "in"), std::invalid_argument);
}

TEST(CheckShader, FailsARacingOneAndSaysWhereAndWhatToDo) {
  const ShaderOutcome outcome = check_shader(sums(""));
  EXPECT_FALSE(outcome.passed());
  EXPECT_THAT(to_string(outcome), HasSubstr("racecheck: kernel sums"));
  EXPECT_THAT(to_string(outcome), HasSubstr(shader_file().filename().string() + ":10:"));
  EXPECT_THAT(to_string(outcome), HasSubstr("to mend it, put threadgroup_barrier(mem_flags::mem_threadgroup)"));
}

/// A kernel whose buffers are in an argument buffer, with `statement` as its body.
ShaderScript with_argument_buffer(const std::string& statement) {
  const auto file = shader_file();
  std::ofstream(file) << "struct Buffers { device const float* in [[id(0)]]; device float* out [[id(1)]]; };\n"
                         "kernel void f(constant Buffers& all [[buffer(0)]], uint i [[thread_position_in_grid]]) {\n  "
                      << statement << "\n}\n";
  ShaderScript script;
  script.source = file;
  script.arrays = {{"all", "buffers:in,out"}, {"in", "random:64:float32"}, {"out", "unset:64:float32"}};
  script.passes = {{.function = "f", .buffers = {{0, {"all"}}}, .grid = {64}, .group = {32}}};
  return script;
}

TEST(CheckShader, FollowsAnArgumentBufferAndChecksWhatItPointsTo) {
  const ShaderOutcome right = check_shader(with_argument_buffer("all.out[i] = all.in[i] - all.in[i] + float(i);"));
  EXPECT_TRUE(right.passed()) << right;
  EXPECT_EQ(values<float>(right, "out")[63], 63);
  const auto found = [](const std::string& statement) {
    return to_string(check_shader(with_argument_buffer(statement)));
  };
  EXPECT_THAT(found("all.out[i + 1] = all.in[i];"),
              HasSubstr("memcheck: kernel f: access outside of all that is bound"));
  EXPECT_THAT(found("all.out[i + 1] = all.in[i];"), HasSubstr("resource `out` + 256 (its length is 256 bytes)"));
  EXPECT_THAT(found("all.out[i / 2] = all.in[i];"), HasSubstr("racecheck: kernel f: two threads of a threadgroup"));
  EXPECT_THAT(found("all.out[i] += all.in[i];"), HasSubstr("initcheck: kernel f: what is read was never written"));
}

TEST(CheckShader, RefusesAnArgumentBufferOfWhatIsNotThere) {
  const auto refusal = [](const std::string& name, const std::string& words) {
    ShaderScript script = with_argument_buffer("all.out[i] = all.in[i];");
    script.arrays[name] = words;
    return refusal_of([&] { check_shader(script); });
  };
  EXPECT_THAT(refusal("all", "buffers:in,none"), HasSubstr("there is no array 'none', expected one of all, in, out"));
  EXPECT_THAT(refusal("in", "random:64"), HasSubstr("array in=random:64: expected PATH.npy, random:SHAPE:DTYPE"));
  EXPECT_THAT(refusal("in", "buffers:out"), HasSubstr("array in=buffers:out: expected PATH.npy"));
  EXPECT_THAT(refusal("all", "buffers:in,in"), HasSubstr("arrays.out: no pass takes it"));
}

TEST(CheckShader, SaysWhatDoesNotCompile) {
  EXPECT_THAT(to_string(check_shader(sums("oops;"))), HasSubstr(shader_file().filename().string() + ":9:5: error"));
}

}  // namespace
}  // namespace assay::validation
