// The gradient of the decomposition: that of the reference, and of functions whose derivative is known.
#include "metal/cpu/svd/gradient.h"

#include <gtest/gtest.h>

#include "reference/svd/gradient.h"
#include "tests/metal/svd/case.h"
#include "tests/refusal.h"

namespace assay::metal {
namespace {

/// Factors of random matrices and random derivatives by them.
template <class Real>
struct GradientCase {
  SvdCase<Real> given;
  SvdResult<Real> factors, derivatives;
  std::vector<Real> dA;

  GradientCase(std::int64_t B, std::int64_t M, std::int64_t N)
      : given(gaussian<Real>(B, M, N)),
        factors(decomposed(given)),
        derivatives(given),
        dA(given.A.size(), Real(777.0F)) {
    std::mt19937 random(2);
    std::normal_distribution<float> normal;
    const auto fill = [&](auto& array) {
      for (auto& x : array) x = static_cast<std::remove_reference_t<decltype(x)>>(normal(random));
    };
    fill(derivatives.U);
    fill(derivatives.S);
    fill(derivatives.Vh);
  }

  SvdCotangent<Real> cotangent() const {
    return {given.B, given.M, given.N, factors.U, factors.S, factors.Vh, derivatives.U, derivatives.S, derivatives.Vh};
  }
  SvdGradientNotes run(int threads = 1) { return svd_gradient<Real>(cotangent(), dA, {threads}); }
};

reference::Matrix<double> matrix_of(const auto& array, std::int64_t b, std::int64_t rows, std::int64_t columns) {
  reference::Matrix<double> X(rows, columns);
  for (std::int64_t i = 0; i < rows; ++i)
    for (std::int64_t j = 0; j < columns; ++j)
      X(i, j) = static_cast<double>(array[static_cast<std::size_t>((b * rows + i) * columns + j)]);
  return X;
}

template <class Real>
reference::Matrix<double> by_reference(const GradientCase<Real>& at, std::int64_t b) {
  const std::int64_t M = at.given.M, N = at.given.N, K = at.given.K();
  const auto values = [&](const auto& S) {
    const auto row = matrix_of(S, b, 1, K);
    return std::vector<double>(row.row(0).begin(), row.row(0).end());
  };
  const reference::SvdFactors<double> factors = {matrix_of(at.factors.U, b, M, K), values(at.factors.S),
                                                 matrix_of(at.factors.Vh, b, K, N)};
  return reference::svd_gradient(factors, {matrix_of(at.derivatives.U, b, M, K), values(at.derivatives.S),
                                           matrix_of(at.derivatives.Vh, b, K, N)})
      .dA;
}

template <class Real>
class SvdGradient : public testing::Test {};
using Types = testing::Types<float, double, Half, BFloat16>;
TYPED_TEST_SUITE(SvdGradient, Types);

TYPED_TEST(SvdGradient, IsThatOfTheReference) {
  for (const auto& [M, N] : {std::pair<std::int64_t, std::int64_t>{1, 1}, {4, 4}, {7, 3}, {3, 7}, {1, 5}, {20, 20}}) {
    SCOPED_TRACE(testing::Message() << M << " x " << N);
    GradientCase<TypeParam> at(3, M, N);
    const SvdGradientNotes notes = at.run();
    EXPECT_EQ(notes.equal_values, 0);
    EXPECT_EQ(notes.zero_values, 0);
    for (std::int64_t b = 0; b < 3; ++b) {
      const reference::Matrix<double> expected = by_reference(at, b);
      double largest = 0.0;
      for (std::int64_t i = 0; i < M; ++i)
        for (std::int64_t j = 0; j < N; ++j) largest = std::max(largest, std::abs(expected(i, j)));
      for (std::int64_t i = 0; i < M; ++i)
        for (std::int64_t j = 0; j < N; ++j)
          ASSERT_NEAR(static_cast<double>(at.dA[static_cast<std::size_t>((b * M + i) * N + j)]), expected(i, j),
                      std::abs(expected(i, j)) * unit_roundoff<TypeParam> + 1e-11 * largest);
    }
  }
}

// L = sum S_k: the gradient is U Vh, whatever the singular values.
TEST(SvdGradientValues, OfTheNuclearNorm) {
  GradientCase<double> at(2, 5, 8);
  std::ranges::fill(at.derivatives.S, 1.0);
  SvdCotangent<double> cotangent = at.cotangent();
  cotangent.dU = cotangent.dVh = {};
  svd_gradient<double>(cotangent, at.dA);
  for (std::int64_t b = 0; b < 2; ++b)
    for (std::int64_t i = 0; i < 5; ++i)
      for (std::int64_t j = 0; j < 8; ++j) {
        double sum = 0.0;
        for (std::int64_t r = 0; r < 5; ++r)
          sum += at.factors.U[static_cast<std::size_t>((b * 5 + i) * 5 + r)] *
                 at.factors.Vh[static_cast<std::size_t>((b * 5 + r) * 8 + j)];
        EXPECT_NEAR(at.dA[static_cast<std::size_t>((b * 5 + i) * 8 + j)], sum, 1e-14);
      }
}

// Gradients of equal and zero singular values are finite, and what was left out is counted.
TEST(SvdGradientValues, EqualAndZeroValuesAreCounted) {
  GradientCase<float> at(1, 6, 4);
  at.given = SvdCase<float>(1, 6, 4).fill(
      [](std::int64_t, std::int64_t i, std::int64_t j) { return i == j && i < 3 ? (i == 2 ? 1.0 : 2.0) : 0.0; });
  at.factors = decomposed(at.given);
  const SvdGradientNotes notes = at.run();
  EXPECT_EQ(notes.equal_values, 1);
  EXPECT_EQ(notes.zero_values, 1);
  for (const float x : at.dA) EXPECT_TRUE(std::isfinite(x));
  at.given = SvdCase<float>(1, 6, 4);
  at.factors = decomposed(at.given);
  EXPECT_EQ(at.run().equal_values, 6);
  for (const float x : at.dA) EXPECT_TRUE(std::isfinite(x));
}

TEST(SvdGradientValues, ScalesWithTheMatrix) {
  GradientCase<double> at(1, 6, 4);
  std::ranges::fill(at.derivatives.S, 0.0);
  at.run();
  const std::vector<double> before = at.dA;
  for (double& s : at.factors.S) s = std::ldexp(s, -900);
  at.run();
  for (std::size_t i = 0; i < before.size(); ++i) EXPECT_EQ(at.dA[i], std::ldexp(before[i], 900)) << i;
}

TEST(SvdGradientValues, AreTheSameBitsOnAnyNumberOfThreads) {
  GradientCase<float> at(33, 9, 7);
  at.run();
  const std::vector<float> first = at.dA;
  for (const int threads : {0, 2, 3, 7}) {
    std::ranges::fill(at.dA, 777.0F);
    at.run(threads);
    EXPECT_TRUE(same_bits(at.dA, first));
  }
}

TEST(SvdGradientArguments, AreRefused) {
  GradientCase<float> at(2, 5, 3);
  const auto complaint_of = [&](const SvdCotangent<float>& cotangent, std::span<float> dA, int threads = 1) {
    return refusal_of([&] { svd_gradient<float>(cotangent, dA, {threads}); });
  };
  const SvdCotangent<float> good = at.cotangent();
  EXPECT_EQ(complaint_of(good, at.dA), "accepted");
  EXPECT_EQ(complaint_of(good, std::span(at.dA).first(3)), "dA.size() = 3: expected B * M * N = 30");
  EXPECT_EQ(complaint_of(good, at.dA, -1), "threads = -1: expected at least 0");
  SvdCotangent<float> bad = good;
  bad.U = bad.U.first(4);
  EXPECT_EQ(complaint_of(bad, at.dA), "U.size() = 4: expected B * M * K = 30");
  bad = good;
  bad.dVh = bad.dVh.first(4);
  EXPECT_EQ(complaint_of(bad, at.dA), "dVh.size() = 4: expected B * K * N, or empty = 18");
  bad = good;
  bad.M = -5;
  EXPECT_EQ(complaint_of(bad, at.dA), "M = -5: expected at least 0");
  at.factors.S[4] = std::numeric_limits<float>::infinity();
  EXPECT_EQ(complaint_of(good, at.dA), "S[b=1, i=1] = inf: expected a finite number");
  at.factors.S[4] = 1.0F;
  at.derivatives.U[29] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(complaint_of(good, at.dA), "dU[b=1, i=4, j=2] = nan: expected a finite number");
}

TEST(SvdGradientArguments, EmptyExtents) {
  for (const auto& [B, N] : {std::pair<std::int64_t, std::int64_t>{0, 3}, {3, 0}}) {
    GradientCase<float> at(B, 3, N);
    EXPECT_EQ(at.run().equal_values, 0);
  }
}

}  // namespace
}  // namespace assay::metal
