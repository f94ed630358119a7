// Enclosures of singular values contain the exact values and are tight; poor factors make them wide, not wrong.
#include "reference/svd/certified.h"

#if ASSAY_HAVE_CERTIFIED

#include <vector>

#include "reference/svd/jacobi.h"
#include "tests/reference/svd/matrices.h"

namespace assay::reference {
namespace {

using tests::matrix_from;
using tests::random_matrix;
using tests::with_singular_values_times_30;

/// The enclosures about the factors that Jacobi finds with the digits in force.
std::vector<Ball> enclosed(const Matrix<BigFloat>& A) {
  return enclose_singular_values(A, jacobi_svd(A));
}

TEST(EncloseSingularValues, HoldsValuesThatAreRational) {
  for (const std::vector<BigFloat>& d : {std::vector<BigFloat>{4, 3, 2, 1}, {5, 5, 5, 5}, {3, 3, 1, 0}, {7, 0, 0, 0}}) {
    const std::vector<Ball> enclosures = enclosed(with_singular_values_times_30(d));
    ASSERT_EQ(enclosures.size(), 4U);
    for (std::size_t k = 0; k < 4; ++k) {
      EXPECT_TRUE(enclosures[k].contains(BigFloat(30) * d[k])) << k << ": " << enclosures[k];
      EXPECT_LT(enclosures[k].radius(), BigFloat(1e-46)) << k;
      EXPECT_FALSE(enclosures[k].contains(BigFloat(30) * d[k] + BigFloat(1e-30))) << k;
      EXPECT_FALSE(enclosures[k].contains(BigFloat(30) * d[k] - BigFloat(1e-30))) << k;
    }
  }
}

TEST(EncloseSingularValues, HoldsValuesThatAreAlgebraic) {
  const Matrix<BigFloat> A =
      matrix_from<BigFloat>(2, 2, [](auto i, auto j) { return i == 0 ? (j == 0 ? 3 : 0) : 4 + j; });
  const std::vector<Ball> enclosures = enclosed(A);
  EXPECT_TRUE((enclosures[0] * enclosures[0]).contains(Rational(45)));
  EXPECT_TRUE((enclosures[1] * enclosures[1]).contains(Rational(5)));
  EXPECT_TRUE(enclosures[0].overlaps(sqrt(Ball(45))));
}

TEST(EncloseSingularValues, HoldsWhatMoreDigitsGiveForEveryShape) {
  for (const auto& [M, N] : {std::pair{6, 6}, {9, 4}, {4, 9}, {1, 1}, {1, 5}, {5, 1}}) {
    const Matrix<BigFloat> A = random_matrix<BigFloat>(M, N);
    const std::vector<Ball> enclosures = enclosed(A);
    const PrecisionScope scope(100);
    const std::vector<BigFloat> fine = jacobi_svd(A).S;
    ASSERT_EQ(enclosures.size(), fine.size());
    for (std::size_t k = 0; k < fine.size(); ++k) {
      EXPECT_TRUE(enclosures[k].contains(fine[k])) << M << " x " << N << ", " << k;
      EXPECT_LT(enclosures[k].radius(), BigFloat(1e-47)) << M << " x " << N << ", " << k;
    }
  }
  EXPECT_TRUE(enclosed(Matrix<BigFloat>(0, 3)).empty());
}

TEST(EncloseSingularValues, IsTightRelativeToSmallValuesOfGradedColumns) {
  const Matrix<BigFloat> A = tests::graded_columns<BigFloat>(7, 6, BigFloat("1e-40"));
  for (const bool wide : {false, true}) {
    const std::vector<Ball> enclosures = enclosed(wide ? transposed(A) : A);
    const PrecisionScope scope(110);
    const std::vector<BigFloat> fine = jacobi_svd(A).S;
    for (std::size_t k = 0; k < fine.size(); ++k) {
      EXPECT_TRUE(enclosures[k].contains(fine[k])) << k;
      EXPECT_LT(enclosures[k].radius(), BigFloat(1e-46) * fine[k]) << k;
    }
  }
}

TEST(EncloseSingularValues, OfMissingRankHoldsZeroBesideGradedColumns) {
  Matrix<BigFloat> A = tests::graded_columns<BigFloat>(6, 4, BigFloat("1e-30"));
  for (std::int64_t i = 0; i < 6; ++i) A(i, 1) = BigFloat(0);
  const std::vector<Ball> enclosures = enclosed(A);
  EXPECT_TRUE(enclosures[3].contains(BigFloat(0)));
  EXPECT_LT(enclosures[3].upper(), BigFloat("1e-100"));
  EXPECT_GT(enclosures[2].lower(), BigFloat(0));
}

/// Whatever is wrong with the factors, the true values stay enclosed.
TEST(EncloseSingularValues, StaysTrueOfPoorFactors) {
  const Matrix<BigFloat> A = with_singular_values_times_30({4, 3, 2, 1});
  const SvdFactors<BigFloat> right = jacobi_svd(A);
  const auto expect_true = [&](const SvdFactors<BigFloat>& wrong, double width) {
    const std::vector<Ball> enclosures = enclose_singular_values(A, wrong);
    for (std::size_t k = 0; k < 4; ++k) {
      EXPECT_TRUE(enclosures[k].contains(BigFloat(static_cast<int>(120 - 30 * k)))) << k << ": " << enclosures[k];
      EXPECT_FALSE(enclosures[k].radius() > BigFloat(width)) << k << ": " << enclosures[k];
    }
  };
  SvdFactors<BigFloat> wrong = right;
  wrong.S[1] += BigFloat(1e-30);
  expect_true(wrong, 1e-27);
  EXPECT_GT(enclose_singular_values(A, wrong)[1].radius(), BigFloat(1e-31));
  wrong = right;
  for (BigFloat& s : wrong.S) s = BigFloat(1);
  expect_true(wrong, 300);
  wrong = right;
  for (std::int64_t i = 0; i < 4; ++i) wrong.U(i, 2) *= BigFloat(1.001);
  expect_true(wrong, 1);
  wrong = right;
  for (BigFloat& x : wrong.Vh.row(0)) x *= BigFloat(-1);
  expect_true(wrong, 1e-46);  // U, S and the lengths of A v are enough
  wrong = right;
  for (BigFloat& x : wrong.Vh.row(3)) x = BigFloat(0);
  for (std::int64_t i = 0; i < 4; ++i) wrong.U(i, 3) = BigFloat(0);
  expect_true(wrong, 1000);
  wrong.S = std::vector<BigFloat>(4, BigFloat(0));
  expect_true(wrong, 1000);
}

TEST(EncloseSingularValues, RefusesOtherShapesAndOrders) {
  const Matrix<BigFloat> A = random_matrix<BigFloat>(4, 3);
  const SvdFactors<BigFloat> right = jacobi_svd(A);
  SvdFactors<BigFloat> wrong = right;
  std::swap(wrong.S[0], wrong.S[1]);
  EXPECT_THROW(enclose_singular_values(A, wrong), std::invalid_argument);
  wrong.S = {3, 2, -1};
  EXPECT_THROW(enclose_singular_values(A, wrong), std::invalid_argument);
  wrong.S = {3, 2, NumberTraits<BigFloat>::nan()};
  EXPECT_THROW(enclose_singular_values(A, wrong), std::invalid_argument);
  wrong.S = {3, 2};
  EXPECT_THROW(enclose_singular_values(A, wrong), std::invalid_argument);
  EXPECT_THROW(enclose_singular_values(transposed(A), right), std::invalid_argument);
}

}  // namespace
}  // namespace assay::reference

#endif
