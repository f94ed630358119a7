// The randomised SVD: of the whole space, of missing rank, of small singular values, and its seeds.
#include "reference/svd/randomized.h"

#include <cmath>
#include <vector>

#include "reference/number/big_float.h"
#include "tests/reference/svd/matrices.h"

namespace assay::reference {
namespace {

using tests::matrix_from;
using tests::random_matrix;

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
  const std::vector<double> sigma = tests::decaying(20, 0.05);
  const SvdFactors<double> factors = randomized_svd(tests::with_singular_values(24, 20, sigma), {10, 0, 2, 3});
  for (std::size_t k = 0; k < 9; ++k) EXPECT_NEAR(factors.S[k] / sigma[k], 1, 1e-3) << k;
}

TEST(RandomizedSvd, Refuses) {
  const Matrix<double> A = random_matrix<double>(4, 3);
  EXPECT_THROW(randomized_svd(A, {0, 1, 1, 1}), std::invalid_argument);
  EXPECT_THROW(randomized_svd(A, {4, 1, 1, 1}), std::invalid_argument);
  EXPECT_THROW(randomized_svd(A, {1, -1, 1, 1}), std::invalid_argument);
  EXPECT_THROW(randomized_svd(A, {1, 1, -1, 1}), std::invalid_argument);
  Matrix<double> wrong = A;
  wrong(1, 1) = std::nan("");
  EXPECT_THROW(randomized_svd(wrong, {1, 1, 1, 1}), std::invalid_argument);
}

}  // namespace
}  // namespace assay::reference
