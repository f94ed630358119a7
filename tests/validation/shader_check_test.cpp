// A .metal kernel checked from a test of C++: what docs/metal-run.md shows.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "validation/shader/check.h"

namespace assay::validation {
namespace {

using testing::HasSubstr;

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

TEST(CheckShader, SaysWhatDoesNotCompile) {
  EXPECT_THAT(to_string(check_shader(sums("oops;"))), HasSubstr(shader_file().filename().string() + ":9:5: error"));
}

}  // namespace
}  // namespace assay::validation
