// From the text of a .metal to a shader that runs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "shader_stand_in.h"

namespace assay::metal::emulator::test {
namespace {

using testing::HasSubstr;

constexpr const char* doubling = R"(
#include <metal_stdlib>
using namespace metal;
kernel void twice(device const float* in, device float* out, uint i [[thread_position_in_grid]]) {
  out[i] = 2 * in[i];
}
)";

TEST(Compile, RunsAKernelCheckedAndUnchecked) {
  for (const bool is_checked : {true, false}) {
    const auto shader = compile(doubling, options(is_checked));
    std::array<float, 2> in = {1.5F, 3.0F}, out = {};
    run(*shader, "twice", {in.data(), out.data()}, 1);
    EXPECT_EQ(out[0], 0.0F);
    EXPECT_EQ(out[1], 6.0F);
    EXPECT_EQ(shader->shader().is_checked, is_checked ? 1U : 0U);
    EXPECT_EQ(asked().has_access(&in[1], abi::Access::read, 4), is_checked);
    EXPECT_EQ(asked().has_access(&out[1], abi::Access::write, 4), is_checked);
  }
}

TEST(Compile, SaysWhereAnErrorIs) {
  const std::string text = refusal("\n\nkernel void f(device float* x) { x[0] = y; }\n");
  EXPECT_THAT(text, HasSubstr("test.metal:3:41: error: use of undeclared identifier 'y'"));
}

}  // namespace
}  // namespace assay::metal::emulator::test
