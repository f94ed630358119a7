// What one-sided Jacobi is for: small singular values as accurate relative to themselves as large ones, at any scale.
#include <gtest/gtest.h>

#include "tests/metal/svd/case.h"

namespace assay::metal {
namespace {

template <class Real>
class SvdAccuracy : public testing::Test {};
using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(SvdAccuracy, Types);

const std::vector<std::pair<std::int64_t, std::int64_t>>& sizes() {
  static const std::vector<std::pair<std::int64_t, std::int64_t>> all = {{8, 8},   {7, 5},   {16, 16}, {30, 12},
                                                                         {32, 32}, {64, 64}, {20, 60}, {90, 40}};
  return all;
}

// 30 units of roundoff each, as gesdd, gesvd and Eigen cannot.
TYPED_TEST(SvdAccuracy, OfGradedColumnsInAnyOrder) {
  for (const auto& [M, N] : sizes())
    for (const double scale : {1e-20, 1.0, 1e20})
      for (const SvdMethod method :
           {SvdMethod::automatic, SvdMethod::direct, SvdMethod::preconditioned, SvdMethod::gram}) {
        SCOPED_TRACE(testing::Message() << M << " x " << N << " scale " << scale << " " << name_of(method));
        const SvdCase<TypeParam> given = graded<TypeParam>(1, M, N, 1e-12, scale, 5);
        const SvdResult<TypeParam> result = decomposed(given, {.method = method});
        EXPECT_LE(relative_error(given, result), 30.0);
        ASSERT_NO_FATAL_FAILURE(expect_decomposition(given, result));
      }
}

TYPED_TEST(SvdAccuracy, OfColumnsToTheEndOfTheStatedRange) {
  const double least = std::is_same_v<TypeParam, float> ? 1e-27 : 1e-70;
  for (const auto& [M, N] : sizes()) {
    SCOPED_TRACE(testing::Message() << M << " x " << N);
    const SvdCase<TypeParam> given = graded<TypeParam>(1, M, N, least, 1.0, 6);
    const SvdResult<TypeParam> result = decomposed(given);
    EXPECT_LE(relative_error(given, result), 30.0);
    ASSERT_NO_FATAL_FAILURE(expect_decomposition(given, result));
  }
}

TYPED_TEST(SvdAccuracy, OfLeftVectorsOfGradedColumns) {
  // Columns of norms so different that they are their own left vectors but for their quotients.
  const SvdCase<TypeParam> given = SvdCase<TypeParam>(1, 24, 24).fill([](std::int64_t, std::int64_t i, std::int64_t j) {
    return (i == j ? 1.0 : 0.0) * std::pow(1e-1, static_cast<double>((j * 7) % 24)) +
           (i == (j + 1) % 24 ? 0.5 : 0.0) * std::pow(1e-1, static_cast<double>((j * 7) % 24));
  });
  const SvdResult<TypeParam> result = decomposed(given);
  EXPECT_LE(relative_error(given, result), 30.0);
  ASSERT_NO_FATAL_FAILURE(expect_decomposition(given, result));
}

TYPED_TEST(SvdAccuracy, OfHilbertMatrices) {
  for (const std::int64_t N : {4, 8, 12, 16, 24, 40}) {
    SCOPED_TRACE(N);
    const SvdCase<TypeParam> given = SvdCase<TypeParam>(1, N, N).fill(
        [](std::int64_t, std::int64_t i, std::int64_t j) { return 1.0 / static_cast<double>(i + j + 1); });
    for (const SvdMethod method : jacobi_methods())
      ASSERT_NO_FATAL_FAILURE(expect_decomposition(given, decomposed(given, {.method = method})));
  }
}

// The same bits of U and Vh, and of S times that power, down to subnormal elements and up to the largest.
TYPED_TEST(SvdAccuracy, PowersOfTwoAreExact) {
  using Limits = std::numeric_limits<TypeParam>;
  for (const auto& [M, N] : sizes())
    for (const SvdMethod method : {SvdMethod::automatic, SvdMethod::direct, SvdMethod::gram, SvdMethod::bidiagonal}) {
      SCOPED_TRACE(testing::Message() << M << " x " << N << " " << name_of(method));
      std::mt19937 random(3);
      std::uniform_int_distribution<int> digits(-63, 64);
      const SvdCase<TypeParam> given =
          SvdCase<TypeParam>(2, M, N).fill([&](auto...) { return static_cast<double>(digits(random)); });
      const SvdResult<TypeParam> expected = decomposed(given, {.method = method});
      for (const int power : {Limits::min_exponent - Limits::digits, Limits::min_exponent - 9, -30, -1, 1, 40,
                              Limits::max_exponent - 13}) {
        SCOPED_TRACE(power);
        SvdCase<TypeParam> scaled = given;
        for (TypeParam& x : scaled.A) x = std::ldexp(x, power);
        const SvdResult<TypeParam> result = decomposed(scaled, {.method = method});
        EXPECT_TRUE(same_bits(result.U, expected.U));
        EXPECT_TRUE(same_bits(result.Vh, expected.Vh));
        for (std::size_t r = 0; r < result.S.size(); ++r) ASSERT_EQ(result.S[r], std::ldexp(expected.S[r], power)) << r;
      }
    }
}

TYPED_TEST(SvdAccuracy, ElementsOfTheLargestSize) {
  constexpr TypeParam most = std::numeric_limits<TypeParam>::max();
  for (const std::int64_t N : {1, 2, 8, 13, 40}) {
    SCOPED_TRACE(N);
    SvdCase<TypeParam> given(1, N, N);
    std::fill(given.A.begin(), given.A.end(), most);
    const SvdResult<TypeParam> result = decomposed(given);
    if (N > 1) {
      EXPECT_EQ(result.S[0], std::numeric_limits<TypeParam>::infinity());
    } else {
      EXPECT_NEAR(static_cast<double>(result.S[0] / most), 1.0, 4 * unit_roundoff<TypeParam>);
    }
    for (std::int64_t i = 0; i < N; ++i) {
      EXPECT_NEAR(static_cast<double>(result.U[static_cast<std::size_t>(i * N)]), 1 / std::sqrt(static_cast<double>(N)),
                  16 * unit_roundoff<TypeParam>);
      EXPECT_NEAR(static_cast<double>(result.Vh[static_cast<std::size_t>(i)]), 1 / std::sqrt(static_cast<double>(N)),
                  16 * unit_roundoff<TypeParam>);
    }
    SvdResult<TypeParam> finite = result;
    for (TypeParam& s : finite.S) s = 0;
    const SvdErrors errors = errors_of(given, finite);
    EXPECT_LE(errors.of_U, 4.0 * std::sqrt(static_cast<double>(N)));
    EXPECT_LE(errors.of_Vh, 4.0 * std::sqrt(static_cast<double>(N)));
  }
}

}  // namespace
}  // namespace assay::metal
