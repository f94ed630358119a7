// The outcome of a problem: it is that of plain Jacobi with more digits, in every type of element.
#include "reference/svd/outcome.h"

#include <vector>

#include "reference/number/big_float.h"
#include "tests/reference/svd/matrices.h"
#include "tests/refusal.h"

namespace assay::reference {
namespace {

using tests::expect_factors;
using tests::expect_relatively_near;
using tests::expect_same;
using tests::random_matrix;

/// A problem together with its elements.
struct Batch {
  std::vector<double> A;
  std::int64_t B = 1, M = 1, N = 1;

  explicit Batch(const std::vector<Matrix<double>>& matrices)
      : B(static_cast<std::int64_t>(matrices.size())), M(matrices.front().rows()), N(matrices.front().cols()) {
    for (const Matrix<double>& matrix : matrices)
      for (std::int64_t i = 0; i < M; ++i) A.insert(A.end(), matrix.row(i).begin(), matrix.row(i).end());
  }
  SvdProblem<double> problem() const { return {B, M, N, A}; }
};

TEST(SvdOutcome, IsThatOfPlainJacobiInMoreDigits) {
  for (const auto& [M, N] : {std::pair{8, 8}, {9, 4}, {4, 9}, {1, 1}, {1, 6}, {12, 12}}) {
    const Batch batch({random_matrix<double>(M, N, 5)});
    const SvdFactors<BigFloat> outcome = svd_outcome<BigFloat>(batch.problem(), 0);
    SvdFactors<BigFloat> plain;
    {
      const PrecisionScope scope(80);
      plain = jacobi_svd(matrix_of<BigFloat>(batch.problem(), 0));
    }
    const BigFloat two_roundings = BigFloat(2) * NumberTraits<BigFloat>::unit_roundoff();
    expect_same(outcome, plain, two_roundings);
    expect_factors(matrix_of<BigFloat>(batch.problem(), 0), outcome, BigFloat(1e-48));
  }
}

TEST(SvdOutcome, KeepsSmallSingularValuesOfGradedColumns) {
  const Batch batch({tests::graded_columns<double>(8, 8, 1e-35)});
  const SvdFactors<BigFloat> outcome = svd_outcome<BigFloat>(batch.problem(), 0);
  const PrecisionScope scope(100);
  expect_relatively_near<BigFloat>(outcome.S, jacobi_svd(matrix_of<BigFloat>(batch.problem(), 0)).S, BigFloat(1e-49));
}

TEST(SvdOutcome, OfMissingRankHasZeros) {
  const Batch batch(
      {tests::matrix_from<double>(6, 5, [](auto i, auto j) { return static_cast<double>(i + 2 * j) / 2 - 1; }),
       tests::matrix_from<double>(6, 5, [](auto, auto) { return 0; })});
  const SvdFactors<BigFloat> two = svd_outcome<BigFloat>(batch.problem(), 0);
  const SvdFactors<BigFloat> none = svd_outcome<BigFloat>(batch.problem(), 1);
  expect_factors(matrix_of<BigFloat>(batch.problem(), 0), two, BigFloat(1e-48));
  expect_factors(matrix_of<BigFloat>(batch.problem(), 1), none, BigFloat(1e-48));
  EXPECT_GT(two.S[1], BigFloat(0));
  for (std::size_t k = 2; k < 5; ++k) EXPECT_EQ(two.S[k], BigFloat(0));
  EXPECT_EQ(none.S, std::vector<BigFloat>(5, BigFloat(0)));
}

TEST(SvdOutcome, HasTheSameSignsInAnyPrecisionWhereElementsTie) {
  // columns of U are (1, 1), (1, -1) and multiples
  const Batch batch({tests::matrix_from<double>(2, 2, [](auto i, auto j) { return i == j ? 2.3 : 0.7; }),
                     tests::matrix_from<double>(2, 2, [](auto i, auto j) { return i == j ? -0.1 : 1.7; }),
                     tests::matrix_from<double>(2, 2, [](auto i, auto j) { return i == j ? 3.9 : -3.1; })});
  for (int digits = 20; digits <= 80; ++digits)
    for (std::int64_t b = 0; b < 3; ++b) {
      const PrecisionScope scope(digits);
      const SvdFactors<BigFloat> outcome = svd_outcome<BigFloat>(batch.problem(), b);
      for (std::int64_t k = 0; k < 2; ++k) EXPECT_GT(outcome.U(0, k), BigFloat(0)) << digits << " digits, " << b;
    }
}

TEST(SvdOutcome, IsRoundedToTheDigitsInForce) {
  const Batch batch({random_matrix<double>(3, 4, 1)});
  const SvdFactors<BigFloat> outcome = svd_outcome<BigFloat>(batch.problem(), 0);
  for (std::size_t k = 0; k < 3; ++k) {
    const auto at = static_cast<std::int64_t>(k);
    for (const BigFloat& x : {outcome.U(at, 0), outcome.S[k], outcome.Vh(at, 1)}) EXPECT_EQ(x, BigFloat(0) + x);
  }
}

/// A 16-bit type, as far as the reference asks: it converts to float.
struct Sixteen {
  float value;
  operator float() const { return value; }  // NOLINT(google-explicit-constructor)
};

TEST(SvdOutcome, TakesFloatAndSixteenBitsExactly) {
  const std::vector<float> single{1.1F, -2.5F, 0.3F, 4.7F, 1e-20F, 3.25F};
  const std::vector<double> same(single.begin(), single.end());
  std::vector<Sixteen> sixteen;
  for (const float x : single) sixteen.push_back({x});
  const auto want = svd_outcome<BigFloat>(SvdProblem<double>{1, 3, 2, same}, 0);
  EXPECT_EQ(svd_outcome<BigFloat>(SvdProblem<float>{1, 3, 2, single}, 0).S, want.S);
  EXPECT_EQ(svd_outcome<BigFloat>(SvdProblem<Sixteen>{1, 3, 2, sixteen}, 0).U, want.U);
}

TEST(SvdOutcome, OfABatchIsThatOfEachMatrix) {
  const std::vector<Matrix<double>> matrices{random_matrix<double>(3, 4, 1), random_matrix<double>(3, 4, 2)};
  const Batch both(matrices), second({matrices[1]});
  const auto want = svd_outcome<BigFloat>(second.problem(), 0), got = svd_outcome<BigFloat>(both.problem(), 1);
  EXPECT_EQ(got.U, want.U);
  EXPECT_EQ(got.S, want.S);
  EXPECT_EQ(got.Vh, want.Vh);
}

TEST(SvdOutcome, RefusesMatricesThatAreNone) {
  const Batch batch({random_matrix<double>(2, 3, 1), random_matrix<double>(2, 3, 2)});
  const auto refusal = [&](std::int64_t b) { return refusal_of([&] { svd_outcome<BigFloat>(batch.problem(), b); }); };
  EXPECT_EQ(refusal(1), "accepted");
  EXPECT_EQ(refusal(2), "b = 2: expected a matrix in [0, B=2)");
  EXPECT_EQ(refusal(-1), "b = -1: expected a matrix in [0, B=2)");
}

}  // namespace
}  // namespace assay::reference
