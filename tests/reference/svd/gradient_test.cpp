// The gradient through U, S and Vh against numerical differentiation at 60 digits, and its terms that are undetermined
// or gauge dependent where singular values are equal or 0.
#include "reference/svd/gradient.h"

#include <vector>

#include "reference/number/big_float.h"
#include "reference/svd/differentiate.h"
#include "reference/svd/jacobi.h"
#include "tests/reference/svd/functions.h"
#include "tests/reference/svd/matrices.h"

namespace assay::reference {
namespace {

using tests::MatrixFunction;
using tests::random_matrix;
using tests::WeightedSquares;
using tests::WeightedValues;

constexpr int gradient_digits = 60;
using Terms = std::vector<SvdTerm>;

template <class Function>
SvdGradient<BigFloat> gradient_of(const Function& L, const Matrix<BigFloat>& A) {
  const SvdFactors<BigFloat> factors = jacobi_svd(A);
  return svd_gradient(factors, L.cotangents(factors));
}

template <class Function>
void expect_that_of_differences(const Function& L, const Matrix<BigFloat>& A) {
  const SvdGradient<BigFloat> gradient = gradient_of(L, A);
  const Matrix<BigFloat> numerical =
      numerical_gradient([&](const Matrix<BigFloat>& at) { return L(jacobi_svd(at)); }, A);
  EXPECT_LE(tests::distance(gradient.dA, numerical), BigFloat(1e-54));
  EXPECT_EQ(gradient.undetermined, Terms{});
  EXPECT_EQ(gradient.gauge_dependent, Terms{});
}

std::vector<BigFloat> weights(std::int64_t K) {
  std::vector<BigFloat> w;
  for (std::int64_t k = 0; k < K; ++k) w.emplace_back(static_cast<double>(5 - 2 * k) / 4);
  return w;
}

TEST(SvdGradient, IsThatOfDifferencesForEveryShape) {
  const PrecisionScope scope(gradient_digits);
  for (const auto& [M, N] : {std::pair{3, 3}, {4, 3}, {3, 4}, {4, 1}, {1, 4}, {4, 2}}) {
    SCOPED_TRACE("M " + std::to_string(M) + ", N " + std::to_string(N));
    const std::int64_t K = std::min(M, N);
    const Matrix<BigFloat> A = random_matrix<BigFloat>(M, N, 4);
    expect_that_of_differences(WeightedValues{weights(K)}, A);
    expect_that_of_differences(WeightedSquares{random_matrix<BigFloat>(M, K, 5), random_matrix<BigFloat>(K, N, 6)}, A);
    expect_that_of_differences(MatrixFunction{random_matrix<BigFloat>(M, N, 7)}, A);
  }
}

TEST(SvdGradient, OfTheSpectralNormIsTheFirstPairOfVectors) {
  const PrecisionScope scope(gradient_digits);
  const Matrix<BigFloat> A = random_matrix<BigFloat>(4, 3, 8);
  const WeightedValues norm{{1, 0, 0}};
  expect_that_of_differences(norm, A);
  const SvdFactors<BigFloat> factors = jacobi_svd(A);
  const Matrix<BigFloat> dA = gradient_of(norm, A).dA;
  EXPECT_LE(abs(BigFloat(dA(1, 2) - factors.U(1, 0) * factors.Vh(0, 2))), BigFloat(1e-58));
}

/// Where values are equal, their vectors may be rotated: L has a gradient where no such rotation changes it.
TEST(SvdGradient, OfEqualValuesSaysWhatItCannotKnow) {
  const Matrix<BigFloat> A = tests::with_singular_values_times_30({2, 2, 1, 0.5});
  const Matrix<BigFloat> W = random_matrix<BigFloat>(4, 4, 5);

  const SvdGradient<BigFloat> invariant = gradient_of(MatrixFunction{W}, A);
  EXPECT_EQ(invariant.undetermined, (Terms{{0, 1}}));
  EXPECT_EQ(invariant.gauge_dependent, Terms{});

  const SvdGradient<BigFloat> nuclear = gradient_of(WeightedValues{{1, 1, 1, 1}}, A);
  EXPECT_EQ(nuclear.undetermined, (Terms{{0, 1}}));
  EXPECT_EQ(nuclear.gauge_dependent, Terms{});
  const SvdFactors<BigFloat> factors = jacobi_svd(A);
  EXPECT_LE(tests::distance(nuclear.dA, product(factors.U, factors.Vh)), BigFloat(1e-47));

  const SvdGradient<BigFloat> dependent = gradient_of(WeightedSquares{W, W}, A);
  EXPECT_EQ(dependent.undetermined, Terms{});
  EXPECT_EQ(dependent.gauge_dependent, (Terms{{0, 1}}));
  for (std::int64_t i = 0; i < 4; ++i)
    for (const BigFloat& x : dependent.dA.row(i)) EXPECT_TRUE(abs(x) < BigFloat(10)) << x;
}

TEST(SvdGradient, OfZeroValuesSaysWhatItCannotKnow) {
  const Matrix<BigFloat> A = tests::tall_with_singular_values({2, 1, 0});
  const Matrix<BigFloat> W = random_matrix<BigFloat>(4, 3, 5), D = random_matrix<BigFloat>(3, 3, 6);
  const SvdGradient<BigFloat> invariant = gradient_of(MatrixFunction{W}, A);
  EXPECT_EQ(invariant.undetermined, (Terms{{2, 2}}));
  EXPECT_EQ(invariant.gauge_dependent, Terms{});
  const SvdGradient<BigFloat> dependent = gradient_of(WeightedSquares{W, D}, A);
  EXPECT_EQ(dependent.gauge_dependent, (Terms{{2, 2}}));
  EXPECT_EQ(gradient_of(WeightedSquares{transposed(D), transposed(W)}, transposed(A)).gauge_dependent, (Terms{{2, 2}}));
  // an L of Vh alone has its gradient: the right vector of s = 0 is the null vector, and moves smoothly
  const WeightedSquares right{Matrix<BigFloat>(4, 3), D};
  const SvdGradient<BigFloat> of_right = gradient_of(right, A);
  EXPECT_EQ(of_right.gauge_dependent, Terms{});
  const Matrix<BigFloat> numerical =
      numerical_gradient([&](const Matrix<BigFloat>& at) { return right(jacobi_svd(at)); }, A);
  EXPECT_LE(tests::distance(of_right.dA, numerical), BigFloat(1e-44));

  const SvdGradient<BigFloat> two = gradient_of(WeightedSquares{W, D}, tests::tall_with_singular_values({1, 0, 0}));
  EXPECT_EQ(two.gauge_dependent, (Terms{{1, 2}, {1, 1}, {2, 2}}));
}

TEST(SvdGradient, OfASquareMatrixWithAZeroValueKnowsAllButAKink) {
  const Matrix<BigFloat> A = tests::with_singular_values_times_30({4, 3, 1, 0});
  const MatrixFunction smooth{random_matrix<BigFloat>(4, 4, 5)};
  const SvdGradient<BigFloat> gradient = gradient_of(smooth, A);
  const Matrix<BigFloat> numerical =
      numerical_gradient([&](const Matrix<BigFloat>& at) { return smooth(jacobi_svd(at)); }, A);
  EXPECT_LE(tests::distance(gradient.dA, numerical), BigFloat(1e-44));
  EXPECT_EQ(gradient.undetermined, (Terms{{3, 3}}));
  EXPECT_EQ(gradient_of(WeightedValues{{1, 1, 1, 0}}, A).undetermined, Terms{});
}

TEST(SvdGradient, OfTheZeroMatrixIsFinite) {
  const SvdGradient<double> gradient =
      svd_gradient(jacobi_svd(Matrix<double>(3, 2)), {Matrix<double>(3, 2, 1.0), {1, 1}, Matrix<double>(2, 2, 1.0)});
  EXPECT_EQ(gradient.dA(0, 0) + gradient.dA(1, 1) + gradient.dA(2, 1), 2);  // U diag(1, 1) Vh
  EXPECT_FALSE(gradient.gauge_dependent.empty());
}

TEST(SvdGradient, RefusesOtherShapes) {
  const SvdFactors<double> factors = jacobi_svd(random_matrix<double>(4, 3));
  EXPECT_THROW(svd_gradient<double>(factors, {Matrix<double>(3, 3), {}, {}}), std::invalid_argument);
  EXPECT_THROW(svd_gradient<double>(factors, {{}, {1, 2}, {}}), std::invalid_argument);
  EXPECT_THROW(svd_gradient<double>(factors, {{}, {}, Matrix<double>(3, 4)}), std::invalid_argument);
  const SvdGradient<double> none = svd_gradient<double>(factors, {});
  EXPECT_EQ(none.dA, Matrix<double>(4, 3));
}

}  // namespace
}  // namespace assay::reference
