// The randomised SVD: its generator, what must hold of its factors, and its error against the theorems over many seeds.
#include "reference/svd/randomized.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "reference/number/big_float.h"
#include "reference/svd/randomized_bounds.h"
#include "tests/reference/svd/matrices.h"

namespace assay::reference {
namespace {

using tests::matrix_from;
using tests::random_matrix;

TEST(RandomBits, AreThoseOfSplitMix64) {
  const std::uint64_t published[] = {6457827717110365317U, 3203168211198807973U, 9817491932198370423U,
                                     4593380528125082431U, 16408922859458223821U};
  for (std::uint64_t n = 0; n < 5; ++n) EXPECT_EQ(random_bits(1234567, n), published[n]);
}

TEST(StandardNormal, HasTheMomentsOfItsName) {
  const int n = 200000;
  double sum = 0, squares = 0, fourth = 0, largest = 0, product = 0;
  for (int k = 0; k < n; ++k) {
    const double x = standard_normal(7, static_cast<std::uint64_t>(k));
    sum += x, squares += x * x, fourth += x * x * x * x;
    product += x * standard_normal(7, static_cast<std::uint64_t>(k) + 1);
    largest = std::max(largest, std::abs(x));
    EXPECT_EQ(x, static_cast<double>(static_cast<float>(x)));
  }
  EXPECT_NEAR(sum / n, 0, 0.012);  // five standard deviations
  EXPECT_NEAR(squares / n, 1, 0.016);
  EXPECT_NEAR(fourth / n, 3, 0.11);
  EXPECT_NEAR(product / n, 0, 0.012);
  EXPECT_TRUE(largest > 4 && largest < 8.6) << largest;
}

TEST(GaussianMatrix, IsRowMajorAndOfItsSeed) {
  const Matrix<double> Omega = gaussian_matrix(3, 4, 3);
  EXPECT_EQ(Omega(2, 1), standard_normal(3, 7));
  EXPECT_EQ(gaussian_matrix(3, 2, 6)(1, 1), Omega(2, 1));
  EXPECT_NE(gaussian_matrix(4, 4, 3)(2, 1), Omega(2, 1));
}

/// [M, N] of singular values `sigma`, between random orthonormal vectors.
Matrix<double> with_values(std::int64_t M, std::int64_t N, const std::vector<double>& sigma) {
  SvdFactors<double> factors = jacobi_svd(random_matrix<double>(M, N, 11));
  factors.S = sigma;
  return reconstruct(factors);
}

std::vector<double> decaying(std::int64_t K, double ratio) {
  std::vector<double> sigma;
  for (std::int64_t k = 0; k < K; ++k) sigma.push_back(std::pow(ratio, static_cast<double>(k)));
  return sigma;
}

/// ||A - U diag(S) Vh||.
double error_of(const Matrix<double>& A, const RandomizedSvd& randomized) {
  return jacobi_svd(difference(A, reconstruct(randomized_svd(A, randomized)))).S[0];
}

TEST(RandomizedSvd, OfTheWholeSpaceIsTheSvd) {
  for (const auto& [M, N] : {std::pair{6, 4}, {4, 6}, {5, 5}, {1, 3}}) {
    const Matrix<BigFloat> A = random_matrix<BigFloat>(M, N);
    const SvdFactors<BigFloat> exact = jacobi_svd(A);
    for (const std::int64_t power_iterations : {0, 2}) {
      const SvdFactors<BigFloat> all = randomized_svd(A, {std::min(M, N), 10, power_iterations, 5});
      tests::expect_factors(A, all, BigFloat(1e-47));
      tests::expect_relatively_near<BigFloat>(all.S, exact.S, BigFloat(1e-46));
      EXPECT_LE(tests::distance(all.U, exact.U), BigFloat(1e-46));
      const SvdFactors<BigFloat> first = randomized_svd(A, {1, 10, power_iterations, 5});
      EXPECT_EQ(first.U.cols(), 1);
      EXPECT_EQ(first.S.size(), 1U);
      EXPECT_LE(tests::distance(first.Vh, detail::first_rows(exact.Vh, 1)), BigFloat(1e-46));
    }
  }
}

TEST(RandomizedSvd, OfMissingRankIsExactAndOrthonormal) {
  const Matrix<double> A = matrix_from<double>(9, 8, [](auto i, auto j) { return i * j - 3 * j + i * i; });  // rank 3
  const SvdFactors<double> factors = randomized_svd(A, {5, 1, 1, 1});
  EXPECT_LE(tests::distance(product(transposed(factors.U), factors.U), identity<double>(5)), 1e-14);
  EXPECT_LE(tests::distance(product(factors.Vh, transposed(factors.Vh)), identity<double>(5)), 1e-14);
  EXPECT_LE(tests::distance(reconstruct(factors), A), 1e-14 * factors.S[0]);
  EXPECT_LE(factors.S[3], 1e-13);
  EXPECT_EQ(randomized_svd(Matrix<double>(4, 3), {2, 0, 1, 1}).S, (std::vector<double>{0, 0}));
}

TEST(RandomizedSvd, DependsOnItsSeedAlone) {
  const Matrix<double> A = random_matrix<double>(12, 9);
  const SvdFactors<double> first = randomized_svd(A, {2, 1, 0, 1}), again = randomized_svd(A, {2, 1, 0, 1});
  EXPECT_EQ(first.U, again.U);
  EXPECT_EQ(first.S, again.S);
  EXPECT_NE(randomized_svd(A, {2, 1, 0, 2}).S, first.S);
}

TEST(RandomizedSvd, NeedsTheBasesBetweenPowerIterations) {
  // A A^T in double knows no singular value below 1e-8 of the first.
  const std::vector<double> sigma = decaying(20, 0.05);
  const SvdFactors<double> factors = randomized_svd(with_values(24, 20, sigma), {10, 0, 2, 3});
  for (std::size_t k = 0; k < 9; ++k) EXPECT_NEAR(factors.S[k] / sigma[k], 1, 1e-3) << k;
}

/// Of 100 seeds: the mean is within the expected bound, and none beyond what has a probability of 1e-6; neither bound
/// is more than `slack` times the mean.
void expect_within_bounds(double ratio, std::int64_t dimensions, std::int64_t power_iterations, double slack) {
  const std::vector<double> sigma = decaying(18, ratio);
  const Matrix<double> A = with_values(20, 18, sigma);
  RandomizedSvd randomized{dimensions, 0, power_iterations, 0};
  const double expected = expected_error_bound(sigma, randomized) * (1 + 1e-12);  // roundings
  const double deviation = deviation_bound(sigma, randomized, 1e-6) * (1 + 1e-12);
  double sum = 0, largest = 0;
  for (randomized.seed = 0; randomized.seed < 100; ++randomized.seed) {
    const double error = error_of(A, randomized);  // no oversampling: nothing is cut off
    EXPECT_TRUE(error >= sigma[static_cast<std::size_t>(dimensions)] * (1 - 1e-12)) << error;
    sum += error, largest = std::max(largest, error);
  }
  const double mean = sum / 100;
  EXPECT_TRUE(mean <= expected) << mean << " > " << expected;
  EXPECT_TRUE(largest <= deviation) << largest << " > " << deviation;
  EXPECT_TRUE(expected <= slack * mean && expected <= deviation) << expected << ", mean " << mean;
}

TEST(RandomizedSvdBounds, HoldOverManySeeds) {
  expect_within_bounds(0.7, 6, 0, 20);
  expect_within_bounds(0.7, 10, 0, 20);
  expect_within_bounds(0.7, 10, 1, 8);
  expect_within_bounds(0.95, 8, 2, 2);
  expect_within_bounds(1.0, 8, 0, 8);
}

TEST(RandomizedSvdBounds, HoldOfWhatIsCutOff) {
  const std::vector<double> sigma = decaying(18, 0.7);
  const Matrix<double> A = with_values(20, 18, sigma);
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const RandomizedSvd randomized{4, 6, 1, seed};
    const double bound = truncated_error_bound(sigma, randomized, deviation_bound(sigma, randomized, 1e-6));
    const double error = error_of(A, randomized);
    EXPECT_TRUE(error >= sigma[4] * (1 - 1e-12) && error <= bound) << error << ", bound " << bound;
  }
}

TEST(RandomizedSvdBounds, AreTheFormulasOfTheTheorems) {
  // K = 5, l = 4, for the expectation k = p = 2 alone: 1 + sqrt(2) and e sqrt(4) / 2 = e, on sigma = 1/4, 1/8, 1/16
  const std::vector<double> sigma{1000, 1, 0.25, 0.125, 0.0625};
  const double d = std::sqrt(0.25 * 0.25 + 0.125 * 0.125 + 0.0625 * 0.0625);
  EXPECT_NEAR(expected_error_bound(sigma, {4, 0, 0, 0}), (1 + std::sqrt(2.0)) * 0.25 + std::exp(1.0) * d, 1e-12);
  EXPECT_NEAR(expected_error_bound(sigma, {1, 3, 0, 0}), expected_error_bound(sigma, {4, 0, 0, 0}), 1e-15);
  const double cubed = std::sqrt(std::pow(0.25, 6) + std::pow(0.125, 6) + std::pow(0.0625, 6));
  EXPECT_NEAR(expected_error_bound(sigma, {4, 0, 1, 0}),
              std::cbrt((1 + std::sqrt(2.0)) * std::pow(0.25, 3) + std::exp(1.0) * cubed), 1e-12);
  // K = 7, l = 6, k = 2, p = 4, t = (4 / 0.01)^(1/4), u = sqrt(2 ln 200)
  const std::vector<double> six{1000, 1000, 0.25, 0.125, 0, 0, 0};
  const double t = std::pow(400, 0.25), u = std::sqrt(2 * std::log(200.0)), tail = std::exp(1.0) * std::sqrt(6.0) / 5;
  EXPECT_NEAR(deviation_bound(six, {6, 0, 0, 0}, 0.01),
              (1 + t * std::sqrt(6.0 / 5)) * 0.25 + t * tail * (std::hypot(0.25, 0.125) + u * 0.25), 1e-12);
  EXPECT_EQ(expected_error_bound(sigma, {3, 2, 0, 0}), 0);     // the whole space
  EXPECT_EQ(expected_error_bound(sigma, {2, 1, 0, 0}), 1000);  // no split: the norm of A
  EXPECT_EQ(expected_error_bound<double>({3, 2, 0, 0, 0, 0}, {2, 2, 1, 0}), 0);
  EXPECT_NEAR(expected_error_bound<double>({1e250, 1e200, 1e200, 1e200, 1e200}, {4, 0, 3, 0}) / 1e200, 1.32, 0.01);
}

TEST(RandomizedSvd, Refuses) {
  const Matrix<double> A = random_matrix<double>(4, 3);
  EXPECT_THROW(randomized_svd(A, {0, 1, 1, 1}), std::invalid_argument);
  EXPECT_THROW(randomized_svd(A, {4, 1, 1, 1}), std::invalid_argument);
  EXPECT_THROW(randomized_svd(A, {1, -1, 1, 1}), std::invalid_argument);
  EXPECT_THROW(randomized_svd(A, {1, 1, -1, 1}), std::invalid_argument);
  EXPECT_THROW(deviation_bound<double>({3, 2, 1}, {1, 1, 0, 0}, 0), std::invalid_argument);
  EXPECT_THROW(deviation_bound<double>({3, 2, 1}, {1, 1, 0, 0}, 0.6), std::invalid_argument);
  Matrix<double> wrong = A;
  wrong(1, 1) = std::nan("");
  EXPECT_THROW(randomized_svd(wrong, {1, 1, 1, 1}), std::invalid_argument);
}

}  // namespace
}  // namespace assay::reference
