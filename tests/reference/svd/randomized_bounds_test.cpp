// The errors of the rSVD over many seeds against the bounds, and the bounds against the formulas of the theorems by
// hand.
#include "reference/svd/randomized_bounds.h"

#include "tests/reference/svd/matrices.h"

namespace assay::reference {
namespace {

using tests::decaying;
using tests::with_singular_values;

/// ||A - U diag(S) Vh||.
double error_of(const Matrix<double>& A, const RandomizedSvd& randomized) {
  return jacobi_svd(difference(A, reconstruct(randomized_svd(A, randomized)))).S[0];
}

/// Over 100 seeds, the mean error is within the bound of the expectation, which is at most `slack` times the mean, and
/// no error exceeds what has a probability of 1e-6.
void expect_within_bounds(double ratio, std::int64_t dimensions, std::int64_t power_iterations, double slack) {
  const std::vector<double> sigma = decaying(18, ratio);
  const Matrix<double> A = with_singular_values(20, 18, sigma);
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
  const Matrix<double> A = with_singular_values(20, 18, sigma);
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

TEST(DeviationBound, RefusesWhatIsNoSmallProbability) {
  EXPECT_THROW(deviation_bound<double>({3, 2, 1}, {1, 1, 0, 0}, 0), std::invalid_argument);
  EXPECT_THROW(deviation_bound<double>({3, 2, 1}, {1, 1, 0, 0}, 0.6), std::invalid_argument);
}

}  // namespace
}  // namespace assay::reference
