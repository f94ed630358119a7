// Gauge-invariant gradients against numerical differentiation, above all where singular values are equal or 0 and the
// gradient through U and Vh is undetermined.
#include "reference/svd/matrix_function.h"

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

Matrix<BigFloat> exact_gradient(const MatrixFunction& L, const Matrix<BigFloat>& A) {
  return matrix_function_gradient(jacobi_svd(A), L.W, MatrixFunction::g, MatrixFunction::g_derivative);
}

void expect_that_of_differences(const Matrix<BigFloat>& A, double bound) {
  const MatrixFunction L{random_matrix<BigFloat>(A.rows(), A.cols(), 9)};
  const Matrix<BigFloat> numerical =
      numerical_gradient([&](const Matrix<BigFloat>& at) { return L(jacobi_svd(at)); }, A);
  EXPECT_LE(tests::distance(exact_gradient(L, A), numerical), BigFloat(bound));
}

TEST(MatrixFunctionGradient, IsThatOfDifferencesForEveryShape) {
  for (const auto& [M, N] : {std::pair{3, 3}, {4, 3}, {3, 4}, {4, 1}, {1, 4}})
    expect_that_of_differences(random_matrix<BigFloat>(M, N, 4), 1e-46);
}

TEST(MatrixFunctionGradient, IsThatOfTheFactorsWhereTheyKnowIt) {
  const Matrix<BigFloat> A = random_matrix<BigFloat>(6, 4);
  const MatrixFunction L{random_matrix<BigFloat>(6, 4, 9)};
  const SvdFactors<BigFloat> factors = jacobi_svd(A);
  EXPECT_LE(tests::distance(exact_gradient(L, A), svd_gradient(factors, L.cotangents(factors)).dA), BigFloat(1e-47));
}

TEST(MatrixFunctionGradient, ExistsWhereValuesAreEqualOrZero) {
  for (const std::vector<BigFloat>& d :
       {std::vector<BigFloat>{2, 2, 1, 0.5}, {3, 1, 1, 1}, {2, 1, 0, 0}, {1, 1, 1, 1}, {1, 1, 0, 0}, {0, 0, 0, 0}}) {
    expect_that_of_differences(tests::with_singular_values_times_30(d), 1e-44);
    const Matrix<BigFloat> tall = tests::tall_with_singular_values({d[0], d[1], d[3]});
    expect_that_of_differences(tall, 1e-44);
    expect_that_of_differences(transposed(tall), 1e-44);
  }
}

TEST(MatrixFunctionGradient, KeepsTwoThirdsOfItsDigitsWhereValuesAreNearlyEqual) {
  for (const double gap : {1e-30, 1e-18, 1e-16, 1e-10})
    expect_that_of_differences(tests::with_singular_values_times_30({2, BigFloat(2) + BigFloat(gap), 1, 0.5}), 1e-33);
}

TEST(MatrixFunctionGradient, OfTheIdentityIsW) {
  const auto same = [](const BigFloat& x) { return x; };
  const auto one = [](const BigFloat&) { return BigFloat(1); };
  for (const auto& [M, N] : {std::pair{3, 3}, {5, 3}, {3, 5}, {2, 0}}) {
    const Matrix<BigFloat> W = random_matrix<BigFloat>(M, N, 2);
    const SvdFactors<BigFloat> factors = jacobi_svd(random_matrix<BigFloat>(M, N));
    EXPECT_LE(tests::distance(matrix_function_gradient(factors, W, same, one), W), BigFloat(1e-48));
  }
  const SvdFactors<BigFloat> factors = jacobi_svd(random_matrix<BigFloat>(3, 2));
  EXPECT_THROW(matrix_function_gradient(factors, Matrix<BigFloat>(2, 3), same, one), std::invalid_argument);
}

TEST(SpectralSumGradient, ExistsWhereValuesAreEqual) {
  const auto f_derivative = [](const BigFloat& s) { return BigFloat(2) * s; };  // f = s^2: L = ||A||_F^2, dL/dA = 2 A
  for (const std::vector<BigFloat>& d : {std::vector<BigFloat>{2, 2, 1, 0.5}, {1, 1, 0, 0}}) {
    const Matrix<BigFloat> A = tests::with_singular_values_times_30(d);
    const SvdGradient<BigFloat> gradient = spectral_sum_gradient(jacobi_svd(A), f_derivative);
    EXPECT_LE(tests::distance(difference(gradient.dA, A), A), BigFloat(1e-45));
    EXPECT_TRUE(gradient.gauge_dependent.empty());
  }
}

TEST(SpectralSumGradient, NamesTheKinkOfTheNuclearNormAtZero) {
  const auto one = [](const BigFloat&) { return BigFloat(1); };
  const Matrix<BigFloat> regular = tests::with_singular_values_times_30({2, 2, 1, 1});
  const SvdFactors<BigFloat> factors = jacobi_svd(regular);
  const SvdGradient<BigFloat> gradient = spectral_sum_gradient(factors, one);
  EXPECT_TRUE(gradient.gauge_dependent.empty());
  EXPECT_LE(tests::distance(gradient.dA, product(factors.U, factors.Vh)), BigFloat(1e-48));
  SvdFactors<BigFloat> singular = jacobi_svd(tests::with_singular_values_times_30({2, 1, 1, 0}));
  const SvdGradient<BigFloat> kinked = spectral_sum_gradient(singular, one);
  EXPECT_EQ(kinked.gauge_dependent, (std::vector<SvdTerm>{{3, 3}}));
  singular.S = {1, 1, 1, 0};
  EXPECT_LE(tests::distance(kinked.dA, reconstruct(singular)), BigFloat(1e-48));
}

}  // namespace
}  // namespace assay::reference
