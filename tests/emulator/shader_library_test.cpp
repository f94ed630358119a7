// The standard library: vectors, integers, mathematics, atomics. The shaders of this folder check themselves.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "shader_stand_in.h"

namespace assay::metal::emulator::test {
namespace {

/// Runs a shader that writes 1 for each claim that holds, 2 for each that does not, -1 at the end.
void expect_claims(const char* file, const char* kernel, int count, const CompileOptions& with) {
  const auto shader = compile(shader_file(file), with);
  std::vector<int> out(64, 0);
  alignas(16) std::array<float, 64> packed{}, aligned{};
  run(*shader, kernel, {out.data(), packed.data(), aligned.data()});
  for (std::size_t n = 0; n < static_cast<std::size_t>(count); ++n)
    EXPECT_EQ(out[n], 1) << "claim " << n << " of " << file;
  EXPECT_EQ(out[static_cast<std::size_t>(count)], -1) << "another number of claims in " << file;
}

TEST(Library, VectorsBehaveAsSpecified) {
  for (const bool is_checked : {true, false}) expect_claims("vectors.metal", "vectors", 29, options(is_checked));
}

TEST(Library, BfloatIsThereFromVersion310On) {
  CompileOptions old = options(false);
  old.language.metal_version = 300;
  expect_claims("vectors.metal", "vectors", 29, old);
  EXPECT_NE(refusal("kernel void f(device bfloat* x) {}", old), "");
  old.language.metal_version = 310;
  EXPECT_EQ(refusal("kernel void f(device bfloat* x) {}", old), "");
}

TEST(Library, IntegerFunctionsBehaveAsSpecified) {
  expect_claims("integers.metal", "integers", 11, options(false));
}

TEST(Library, NamespacesOfPrecisionHaveFunctionsOfFloatAlone) {
  for (const bool is_checked : {true, false}) expect_claims("precisions.metal", "precisions", 10, options(is_checked));
  CompileOptions safe = options(true);
  safe.math_mode = MathMode::safe;
  expect_claims("precisions.metal", "precisions", 10, safe);
}

TEST(Library, MathematicsIsThatOfDoublesRounded) {
  constexpr float xf = 0.3F, yf = 1.7F;
  constexpr double x = xf, y = yf, pi = std::numbers::pi;
  const std::vector<double> thrice = {std::acos(x),
                                      std::acosh(1 + xf),
                                      std::asin(x),
                                      std::asinh(x),
                                      std::atan(x),
                                      std::atanh(x),
                                      1,
                                      std::cos(x),
                                      std::cosh(x),
                                      std::cos(pi * x),
                                      std::exp(x),
                                      std::exp2(x),
                                      std::pow(10, x),
                                      0,
                                      x,
                                      std::log(x),
                                      std::log2(x),
                                      std::log10(x),
                                      0,
                                      0,
                                      1 / std::sqrt(x),
                                      std::sin(x),
                                      std::sinh(x),
                                      std::sin(pi * x),
                                      std::sqrt(x),
                                      std::tan(x),
                                      std::tanh(x),
                                      std::tan(pi * x),
                                      0,
                                      std::atan2(x, y),
                                      -x,
                                      y - x,
                                      std::fmod(y, x),
                                      std::pow(x, y),
                                      std::pow(x, y),
                                      x * y + 1,
                                      8 * x,
                                      y,
                                      x,
                                      y,
                                      x,
                                      1,
                                      1};
  const std::vector<double> once = {x + (y - x) * 0.25,
                                    1,
                                    x * x * (3 - 2 * x),
                                    3 * x,
                                    -1,
                                    x * y + 1,
                                    x,
                                    1,
                                    x + 2 * y + 3,
                                    5 * x,
                                    x,
                                    1,
                                    y,
                                    8 * x / 4,
                                    2,
                                    static_cast<double>(10 * xf) - 3,
                                    3,
                                    std::sin(x),
                                    std::cos(x),
                                    1 + 0x1p-23,
                                    std::exp(x) + std::sqrt(x)};
  const auto shader = compile(shader_file("math.metal"), options(false));
  std::vector<float> out(200);
  float x_given = xf, y_given = yf;
  run(*shader, "functions", {&x_given, &y_given, out.data()});
  std::size_t n = 0;
  const auto expect = [&](double value, double tolerance) {
    EXPECT_NEAR(static_cast<double>(out[n]), value, tolerance * std::fabs(value) + 1e-30) << "out[" << n << "]";
    ++n;
  };
  for (const double value : thrice)
    for (int repeat = 0; repeat < 3; ++repeat) expect(value, 2.5e-7);
  for (const double value : once) expect(value, n + 1 == 3 * thrice.size() + once.size() ? 1.5e-3 : 4e-7);
  EXPECT_EQ(out[n], -7.0F) << "another number of functions in math.metal";
}

TEST(Library, AtomicsReturnWhatWasThereAndAreReported) {
  const auto shader = compile(R"(
#include <metal_stdlib>
using namespace metal;
kernel void f(device atomic_int* a, device atomic<float>* b, device int* out, device atomic_uint& u) {
  out[0] = atomic_fetch_add_explicit(a, 5, memory_order_relaxed);
  out[1] = atomic_fetch_sub_explicit(a, 1, memory_order_relaxed);
  out[2] = atomic_fetch_max_explicit(a, 100, memory_order_relaxed);
  out[3] = atomic_fetch_min_explicit(a, -2, memory_order_relaxed);
  out[4] = atomic_exchange_explicit(a, 6, memory_order_relaxed);
  out[5] = atomic_fetch_and_explicit(a, 3, memory_order_relaxed);
  out[6] = atomic_fetch_or_explicit(a, 8, memory_order_relaxed);
  out[7] = atomic_fetch_xor_explicit(a, 2, memory_order_relaxed);
  int expected = 7;
  out[8] = atomic_compare_exchange_weak_explicit(a, &expected, 1, memory_order_relaxed, memory_order_relaxed);
  out[9] = expected;
  out[10] = atomic_load_explicit(a, memory_order_relaxed);
  atomic_fetch_add_explicit(b, 0.5f, memory_order_relaxed);
  atomic_store_explicit(&u, 9, memory_order_relaxed);
}
)");
  int a = 10;
  float b = 1.0F;
  unsigned u = 0;
  std::array<int, 11> out{};
  run(*shader, "f", {&a, &b, out.data(), &u});
  EXPECT_EQ(out, (std::array<int, 11>{10, 15, 14, 100, -2, 6, 2, 10, 0, 8, 8}));
  EXPECT_EQ(b, 1.5F);
  EXPECT_EQ(u, 9U);
  EXPECT_TRUE(calls().has_access(&a, abi::Access::atomic_exchange, 4));
  EXPECT_TRUE(calls().has_access(&a, abi::Access::atomic_read, 4));
  EXPECT_FALSE(calls().has_access(&a, abi::Access::write, 4));
  EXPECT_FALSE(calls().has_access(&b, abi::Access::read, 4));
}

}  // namespace
}  // namespace assay::metal::emulator::test
