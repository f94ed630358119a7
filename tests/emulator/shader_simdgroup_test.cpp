// Collectives of simdgroups and quadgroups, and simdgroup matrices, with all 32 lanes active.
#include <gtest/gtest.h>

#include <bit>
#include <functional>

#include "metal/cpu/half.h"
#include "shader_stand_in.h"

namespace assay::metal::emulator::test {
namespace {

using Row = std::function<float(int lane)>;

float binomial(int n) {
  return static_cast<float>(n * (n + 1) / 2);
}

const std::vector<std::pair<const char*, Row>>& rows() {
  static const std::vector<std::pair<const char*, Row>> all = {
      {"sum", [](int) { return 528.0F; }},
      {"max", [](int) { return 32.0F; }},
      {"min", [](int) { return 1.0F; }},
      {"prefix_inclusive_sum", [](int i) { return binomial(i + 1); }},
      {"prefix_exclusive_sum", [](int i) { return binomial(i); }},
      {"broadcast", [](int) { return 6.0F; }},
      {"broadcast_first", [](int) { return 1.0F; }},
      {"shuffle", [](int i) { return 32.0F - static_cast<float>(i); }},
      {"shuffle_up", [](int i) { return static_cast<float>(i < 2 ? i + 1 : i - 1); }},
      {"shuffle_down", [](int i) { return static_cast<float>(i > 28 ? i + 1 : i + 4); }},
      {"shuffle_xor", [](int i) { return static_cast<float>((i ^ 7) + 1); }},
      {"shuffle_rotate_up", [](int i) { return static_cast<float>((i + 31) % 32 + 1); }},
      {"shuffle_rotate_down", [](int i) { return static_cast<float>((i + 1) % 32 + 1); }},
      {"shuffle_and_fill_up", [](int i) { return static_cast<float>(i < 2 ? -(i + 30 + 1) : i - 1); }},
      {"shuffle_and_fill_down", [](int i) { return i % 8 < 4 ? static_cast<float>(i + 5) : -1.0F; }},
      {"and, or, xor", [](int) { return 64.0F + 31.0F; }},
      {"ballot", [](int) { return 11.0F; }},
      {"all, any", [](int) { return 1.0F; }},
      {"is_first", [](int i) { return i == 0 ? 1.0F : 0.0F; }},
      {"product", [](int) { return 8.0F; }},
      {"shuffle_down of vectors", [](int i) { return 2.0F * static_cast<float>(i == 31 ? 32 : i + 2); }},
      {"quad_sum", [](int i) { return static_cast<float>(i / 4 * 16 + 10); }},
      {"quad_broadcast", [](int i) { return static_cast<float>(i / 4 * 4 + 3); }},
      {"quad_shuffle_xor", [](int i) { return static_cast<float>((i ^ 1) + 1); }},
      {"quad_prefix_inclusive_sum", [](int i) { return binomial(i + 1) - binomial(i / 4 * 4); }},
  };
  return all;
}

TEST(Simdgroup, OperationsAreThoseOfTheSpecification) {
  const auto shader = compile(shader_file("simd.metal"), options(false));
  std::vector<float> out(rows().size() * 32 + 32, -7.0F);
  run_simdgroup(*shader, "simd_operations", {out.data()});
  for (std::size_t row = 0; row < rows().size(); ++row)
    for (std::size_t lane = 0; lane < 32; ++lane)
      EXPECT_EQ(out[row * 32 + lane], rows()[row].second(static_cast<int>(lane)))
          << "simd_" << rows()[row].first << " of lane " << lane;
  EXPECT_EQ(out.back(), -7.0F) << "the test has fewer rows than the shader";
}

TEST(Simdgroup, MatricesMultiply) {
  const auto shader = compile(shader_file("matrix.metal"), options(false));
  std::vector<float> a(64), c(64), out(64);
  std::vector<Half> b(64), product(64);
  for (std::size_t n = 0; n < 64; ++n) {
    a[n] = static_cast<float>(n % 7) - 3;
    b[n] = Half(static_cast<double>(n % 5) - 2);
    c[n] = static_cast<float>(n);
  }
  run_simdgroup(*shader, "multiply", {a.data(), b.data(), c.data(), out.data(), product.data()});
  for (std::size_t i = 0; i < 8; ++i)
    for (std::size_t j = 0; j < 8; ++j) {
      float sum = c[j * 8 + i], square = 0;
      for (std::size_t k = 0; k < 8; ++k) {
        sum += a[i * 8 + k] * b[k * 8 + j];
        square += b[i * 8 + k] * b[k * 8 + j];
      }
      EXPECT_EQ(out[i * 8 + j], sum) << i << ", " << j;
      EXPECT_EQ(static_cast<float>(product[j * 8 + i]), square + (j % 2 == 0 ? 1.0F : 0.0F)) << i << ", " << j;
    }
}

TEST(Simdgroup, MatricesAreFilled) {
  const auto shader = compile(shader_file("matrix.metal"), options(false));
  std::vector<float> diagonal(64), filled(64);
  run_simdgroup(*shader, "fill", {diagonal.data(), filled.data()});
  for (std::size_t n = 0; n < 64; ++n) {
    EXPECT_EQ(diagonal[n], n % 9 == 0 ? 2.5F : 0.0F) << n;
    EXPECT_EQ(filled[n], 0.5F) << n;
  }
}

}  // namespace
}  // namespace assay::metal::emulator::test
