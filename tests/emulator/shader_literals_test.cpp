// Literals without a suffix are float everywhere, also where a template's argument decides the rest of the expression.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>

#include "metal/emulator/translate/lexer.h"
#include "shader_stand_in.h"

namespace assay::metal::emulator::test {
namespace {

TEST(Literals, WithoutASuffixAreTold) {
  for (const char* text : {"1.5", "2.", ".5", "1e-3", "1E+3", "0x1p4", "0x1.8P-2", "1'000.5"})
    EXPECT_TRUE(is_unsuffixed_float(text)) << text;
  for (const char* text :
       {"1", "1.5f", "1e3F", "1.h", "2bf", "0x1e", "0xe5", "0x1p4f", "1u", "1.0l", "0b1", "6.5504e+4F16", "0x1p4F16"})
    EXPECT_FALSE(is_unsuffixed_float(text)) << text;
}

TEST(Literals, AreFloatInsideAndOutsideOfTemplates) {
  const auto shader = compile(R"(#include <metal_stdlib>
using namespace metal;
#define TENTH 0.1
template <typename T> uint size_of_product(T x) { return sizeof(x * 0.1) + 100 * sizeof(x + 1e-3) + 10000 * sizeof(TENTH); }
template <typename T> float drift(T x) { return x * 0.1 + x * 0.7 - x * 0.8; }
float plain_drift(float x) { return x * 0.1 + x * 0.7 - x * 0.8; }
kernel void f(device float* out) {
  out[0] = size_of_product(1.0f);
  out[1] = size_of_product(half(1));
  out[2] = drift(3.0f);
  out[3] = plain_drift(3.0f);
})");
  std::array<float, 4> out{};
  run(*shader, "f", {out.data()});
  EXPECT_EQ(out[0], 40404.0F);
  EXPECT_EQ(out[1], 40404.0F);
  EXPECT_EQ(out[2], 3.0F * 0.1F + 3.0F * 0.7F - 3.0F * 0.8F);
  EXPECT_EQ(out[3], out[2]);
  EXPECT_GT(std::abs(out[2]), 1e-8F);  // in double it is 9e-16
}

/// A double among the operands needed a function for its conversion to bfloat that no library has.
TEST(Literals, GoWithBfloatInTemplates) {
  const auto shader = compile(
      "template <typename T> T g(T x) { return static_cast<T>(x * 0.5 + 1e-3); }\n"
      "kernel void f(device float* out) { out[0] = float(g(bfloat(3))); }");
  float out = 0;
  run(*shader, "f", {&out});
  EXPECT_EQ(out, std::bit_cast<float>(std::uint32_t{0x3fc00000}));  // 1.501 in eight bits is 1.5
}

}  // namespace
}  // namespace assay::metal::emulator::test
