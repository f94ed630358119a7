// One-sided Jacobi in float, double and BigFloat: what must hold of factors, values known exactly, relative accuracy of
// graded matrices, missing rank, the range of exponents, and that it ends.
#include "reference/svd/jacobi.h"

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "reference/number/big_float.h"
#include "tests/reference/svd/matrices.h"
#include "tests/refusal.h"

namespace assay::reference {
namespace {

using tests::expect_factors;
using tests::expect_near;
using tests::expect_relatively_near;
using tests::graded_columns;
using tests::hilbert;
using tests::matrix_from;
using tests::random_matrix;
using BigTraits = NumberTraits<BigFloat>;

constexpr JacobiOrdering orderings[] = {JacobiOrdering::de_rijk, JacobiOrdering::cyclic};

/// 16 M N u: no error was found to be larger.
template <class Number>
Number bound_of(const Matrix<Number>& A) {
  return Number(16 * std::max<std::int64_t>(A.rows() * A.cols(), 1)) * NumberTraits<Number>::unit_roundoff();
}

template <class Number>
void expect_decomposed(const Matrix<Number>& A) {
  for (const JacobiOrdering ordering : orderings) expect_factors(A, jacobi_svd(A, {ordering, 60}), bound_of(A));
}

/// Calls test(number) with a 0 of each type.
template <class Test>
void for_each_type(Test test) {
  test(0.0F), test(0.0), test(BigFloat(0));
}

TEST(JacobiSvd, DecomposesEveryShape) {
  for_each_type([]<class Number>(const Number&) {
    for (const std::int64_t M : {0, 1, 2, 3, 7, 8})
      for (const std::int64_t N : {0, 1, 2, 3, 5, 8}) {
        SCOPED_TRACE("M " + std::to_string(M) + ", N " + std::to_string(N));
        expect_decomposed(random_matrix<Number>(M, N));
      }
  });
}

TEST(JacobiSvd, DecomposesWhatHasEqualOrNoSingularValues) {
  for_each_type([]<class Number>(const Number&) {
    expect_decomposed(matrix_from<Number>(6, 4, [](auto, auto) { return 0; }));
    expect_decomposed(identity<Number>(5));
    expect_decomposed(matrix_from<Number>(5, 5, [](auto i, auto j) { return (i + 2) % 5 == j ? -3 : 0; }));
    expect_decomposed(matrix_from<Number>(8, 8, [](auto i, auto j) {  // Hadamard: 8 times sqrt(8)
      return __builtin_popcount(static_cast<unsigned>(i & j)) % 2 == 0 ? 1 : -1;
    }));
    expect_decomposed(matrix_from<Number>(7, 7, [](auto i, auto j) { return i == j ? 3 : 1; }));  // 9, 6 times 2
  });
}

TEST(JacobiSvd, CompletesTheNullSpace) {
  for_each_type([]<class Number>(const Number&) {
    const auto rank_of = [](const Matrix<Number>& A) {
      expect_decomposed(A);
      const std::vector<Number> S = jacobi_svd(A).S;
      return std::ranges::count_if(S, [](const Number& s) { return s > Number(0); });
    };
    EXPECT_EQ(rank_of(matrix_from<Number>(6, 6, [](auto, auto) { return 1; })), 1);
    EXPECT_EQ(rank_of(matrix_from<Number>(9, 7, [](auto i, auto j) { return (i + 1) * (j - 2); })), 1);
    EXPECT_EQ(rank_of(matrix_from<Number>(7, 9, [](auto i, auto j) { return i * i + j; })), 2);
    EXPECT_EQ(
        rank_of(matrix_from<Number>(9, 9, [](auto i, auto j) { return i == 0   ? 1
                                                                      : i == 1 ? j
                                                                      : i == 2 ? j * j
                                                                               : 0; })),
        3);
    EXPECT_EQ(rank_of(matrix_from<Number>(6, 6, [](auto i, auto j) { return j % 2 == 0 ? i + j * j * i * i : 0; })), 2);
    EXPECT_EQ(rank_of(matrix_from<Number>(4, 4, [](auto i, auto j) { return i == 3 && j == 1 ? -5 : 0; })), 1);
  });
}

TEST(JacobiSvd, HasTheValuesThatAlgebraGives) {
  const Matrix<BigFloat> A =
      matrix_from<BigFloat>(2, 2, [](auto i, auto j) { return i == 0 ? (j == 0 ? 3 : 0) : 4 + j; });
  const std::vector<BigFloat> of_45_and_5{BigTraits::sqrt(BigFloat(45)), BigTraits::sqrt(BigFloat(5))};
  expect_relatively_near<BigFloat>(jacobi_svd(A).S, of_45_and_5, BigFloat(1e-49));
  const Matrix<BigFloat> B = matrix_from<BigFloat>(7, 7, [](auto i, auto j) { return i == j ? 3 : 1; });
  expect_relatively_near<BigFloat>(jacobi_svd(B).S, {9, 2, 2, 2, 2, 2, 2}, BigFloat(1e-48));
  const Matrix<BigFloat> row = matrix_from<BigFloat>(1, 4, [](auto, auto j) { return j + 1; });
  expect_relatively_near<BigFloat>(jacobi_svd(row).S, {BigTraits::sqrt(BigFloat(30))}, BigFloat(1e-49));
}

/// 1 / det H_n is the integer prod_{k<n} (2k+1) binomial(2k, k)^2.
BigFloat inverse_determinant_of_hilbert(std::int64_t n) {
  BigFloat result(1), binomial(1);
  for (std::int64_t k = 0; k < n; ++k) {
    result *= BigFloat(2 * k + 1) * binomial * binomial;
    binomial = binomial * BigFloat(2 * (2 * k + 1)) / BigFloat(k + 1);
  }
  return result;
}

TEST(JacobiSvd, OfTheHilbertMatrixHasItsDeterminant) {
  const Matrix<BigFloat> H = hilbert<BigFloat>(12);
  for (const JacobiOrdering ordering : orderings) {
    const SvdFactors<BigFloat> factors = jacobi_svd(H, {ordering, 60});
    expect_factors(H, factors, bound_of(H));
    BigFloat product = inverse_determinant_of_hilbert(12);
    for (const BigFloat& s : factors.S) product *= s;
    expect_near<BigFloat>(product, BigFloat(1), BigFloat(1e-31));  // a condition of 1.7e16
    EXPECT_LT(factors.S[11], BigFloat(1.05e-16));
  }
}

/// The singular values with the digits in force against those with 115 digits.
void expect_relative_accuracy(const Matrix<BigFloat>& A, double bound) {
  std::vector<BigFloat> fine;
  {
    const PrecisionScope scope(115);
    fine = jacobi_svd(A).S;
  }
  for (const JacobiOrdering ordering : orderings)
    expect_relatively_near<BigFloat>(jacobi_svd(A, {ordering, 60}).S, fine, BigFloat(bound));
}

TEST(JacobiSvd, HasAllDigitsOfTheSmallSingularValuesOfGradedMatrices) {
  const BigFloat ratio("3e-29");  // down to 1e-200
  const Matrix<BigFloat> A = graded_columns<BigFloat>(9, 8, ratio);
  expect_relative_accuracy(A, 1e-46);
  expect_relative_accuracy(transposed(A), 1e-46);
  Matrix<BigFloat> both = A;
  for (std::int64_t i = 0; i < 8; ++i)
    for (std::int64_t j = 0; j < 8; ++j) both(i, j) *= A(0, i);
  expect_relative_accuracy(both, 1e-40);
  EXPECT_LT(jacobi_svd(A).S[7], BigFloat("1e-199"));
  EXPECT_GT(jacobi_svd(A).S[7], BigFloat("1e-201"));
}

TEST(JacobiSvd, HasTheDigitsOfDoubleOfThemToo) {
  const Matrix<double> A = graded_columns<double>(9, 8, 1e-40);
  const std::vector<double> S = jacobi_svd(A).S;
  const Matrix<BigFloat> exact = matrix_from<BigFloat>(9, 8, [&](auto i, auto j) { return A(i, j); });
  const std::vector<BigFloat> fine = jacobi_svd(exact).S;
  for (std::size_t k = 0; k < S.size(); ++k)
    expect_near<BigFloat>(BigFloat(S[k]) / fine[k], BigFloat(1), BigFloat(1e-14));
}

/// U, Vh have the same bits and S is scaled, whatever power of two A is multiplied by.
template <class Real>
void expect_scaling_is_exact(int least, int most) {
  const Matrix<Real> A = random_matrix<Real>(5, 4);
  const SvdFactors<Real> factors = jacobi_svd(A);
  for (int exponent = least; exponent <= most; ++exponent) {
    const SvdFactors<Real> scaled =
        jacobi_svd(matrix_from<Real>(5, 4, [&](auto i, auto j) { return std::ldexp(A(i, j), exponent); }));
    EXPECT_EQ(scaled.U, factors.U) << exponent;
    EXPECT_EQ(scaled.Vh, factors.Vh) << exponent;
    for (std::size_t k = 0; k < 4; ++k) EXPECT_EQ(scaled.S[k], std::ldexp(factors.S[k], exponent)) << exponent;
  }
}

TEST(JacobiSvd, IsScaledExactlyByPowersOfTwoOverTheRange) {
  expect_scaling_is_exact<float>(-95, 122);
  expect_scaling_is_exact<double>(-990, 1018);
}

TEST(JacobiSvd, StandsTheEndsOfTheRange) {
  for (const double size : {1.7e308, 5e-324, 1e-310, 1e-200}) {
    const Matrix<double> A = matrix_from<double>(
        5, 4, [&](auto i, auto j) { return size * (static_cast<double>((i * 7 + j * 3) % 5) / 4); });
    const SvdFactors<double> factors = jacobi_svd(A);
    const int exponent = -std::ilogb(size);
    Matrix<double> unit = A;
    SvdFactors<double> scaled = factors;
    for (std::int64_t i = 0; i < 5; ++i)
      for (double& x : unit.row(i)) x = std::ldexp(x, exponent);
    scaled.S = jacobi_svd(unit).S;
    expect_factors(unit, scaled, bound_of(unit));
    for (std::size_t k = 0; k < 4; ++k) EXPECT_EQ(factors.S[k], std::ldexp(scaled.S[k], -exponent)) << size;
  }
}

TEST(JacobiSvd, StandsColumnsFromOneEndOfTheRangeToTheOther) {
  const double lengths[] = {1e-290, 1e290, 1.0, 1e-150};
  const Matrix<double> unit = random_matrix<double>(6, 4);
  const Matrix<double> A = matrix_from<double>(6, 4, [&](auto i, auto j) { return lengths[j] * unit(i, j); });
  const std::vector<double> S = jacobi_svd(A).S;
  const Matrix<BigFloat> exact = matrix_from<BigFloat>(6, 4, [&](auto i, auto j) { return A(i, j); });
  const std::vector<BigFloat> fine = jacobi_svd(exact).S;
  for (std::size_t k = 0; k < 4; ++k) expect_near<BigFloat>(BigFloat(S[k]) / fine[k], BigFloat(1), BigFloat(1e-14));
}

TEST(JacobiSvd, TakesColumnsBeyondTheRangeForZero) {
  const Matrix<double> unit = random_matrix<double>(6, 4);
  const Matrix<double> A = matrix_from<double>(
      6, 4, [&](auto i, auto j) { return std::ldexp(unit(i, j), j == 0 ? 1000 : -995 + static_cast<int>(j)); });
  const SvdFactors<double> factors = jacobi_svd(A);
  EXPECT_EQ((std::vector<double>(factors.S.begin() + 1, factors.S.end())), (std::vector<double>{0, 0, 0}));
  EXPECT_LE(tests::distance(product(transposed(factors.U), factors.U), identity<double>(4)), 1e-14);
}

TEST(JacobiSvd, ShowsItsSweepsAndTheirQuadraticConvergence) {
  const PrecisionScope scope(100);
  for (const JacobiOrdering ordering : orderings) {
    std::vector<JacobiSweep<BigFloat>> sweeps;
    jacobi_svd(random_matrix<BigFloat>(6, 6), {ordering, 60},
               [&](const JacobiSweep<BigFloat>& met) { sweeps.push_back(met); });
    ASSERT_GE(sweeps.size(), 5U);
    bool quadratic = false;
    for (std::size_t k = 0; k < sweeps.size(); ++k) {
      EXPECT_EQ(sweeps[k].sweep, static_cast<int>(k) + 1);
      EXPECT_EQ(sweeps[k].rotations == 0, k + 1 == sweeps.size());
      if (k == 0 || sweeps[k - 1].worst_cosine > BigFloat(1e-3) || sweeps[k - 1].worst_cosine < BigFloat(1e-40))
        continue;
      quadratic = true;
      const BigFloat before = sweeps[k - 1].worst_cosine;
      EXPECT_LE(sweeps[k].worst_cosine, BigFloat(100) * before * before);
    }
    EXPECT_TRUE(quadratic);
    EXPECT_LE(sweeps.back().worst_cosine, BigFloat(1e-99));
  }
}

TEST(JacobiSvd, NeedsFewerSweepsWithTheLongestColumnFirst) {
  const auto sweeps_of = [](JacobiOrdering ordering) {
    int sweeps = 0;
    jacobi_svd(graded_columns<BigFloat>(8, 8, BigFloat(1e-10)), {ordering, 60},
               [&](const JacobiSweep<BigFloat>& met) { sweeps = met.sweep; });
    return sweeps;
  };
  EXPECT_LT(sweeps_of(JacobiOrdering::de_rijk), sweeps_of(JacobiOrdering::cyclic));
}

TEST(JacobiSvd, ThrowsAtTheLimitOfSweeps) {
  const Matrix<double> A = random_matrix<double>(6, 6);
  const std::string message = refusal_of<std::runtime_error>([&] { jacobi_svd(A, {JacobiOrdering::cyclic, 2}); });
  EXPECT_NE(message.find("after 2 sweeps the worst cosine is 0."), std::string::npos) << message;
  EXPECT_THROW(jacobi_svd(A, {JacobiOrdering::cyclic, 0}), std::invalid_argument);
}

TEST(JacobiSvd, RefusesWhatIsNotFinite) {
  for (const double wrong : {std::numeric_limits<double>::quiet_NaN(), -std::numeric_limits<double>::infinity()})
    for (const bool wide : {false, true}) {
      Matrix<double> A = wide ? random_matrix<double>(3, 5) : random_matrix<double>(5, 3);
      A(2, 1) = wrong;
      EXPECT_TRUE(refusal_of([&] { jacobi_svd(A); }).starts_with("A[i=2, j=1] = ")) << wrong;
    }
}

}  // namespace
}  // namespace assay::reference
