#include "reference/svd/preconditioned.h"

#include "tests/reference/svd/matrices.h"

namespace assay::reference {
namespace {

TEST(PreconditionedJacobi, NeedsFewerRotations) {
  const Matrix<double> A = tests::random_matrix<double>(12, 12);
  std::int64_t rotations = 0, plain_rotations = 0;
  const SvdFactors<BigFloat> factors =
      preconditioned_jacobi_svd<BigFloat>(A, {}, [&](const JacobiSweep<BigFloat>& met) { rotations += met.rotations; });
  const SvdFactors<BigFloat> plain = jacobi_svd(
      detail::numbers<BigFloat>(A), {}, [&](const JacobiSweep<BigFloat>& met) { plain_rotations += met.rotations; });
  tests::expect_same<BigFloat>(factors, plain, 1e-47);
  EXPECT_LT(2 * rotations, plain_rotations);
}

TEST(PreconditionedJacobi, LeavesMatricesOfSmallColumnsToPlainJacobi) {
  const Matrix<double> A = tests::graded_columns<double>(5, 4, 1e-9);
  tests::expect_same<BigFloat>(preconditioned_jacobi_svd<BigFloat>(A), jacobi_svd(detail::numbers<BigFloat>(A)), 0);
}

}  // namespace
}  // namespace assay::reference
