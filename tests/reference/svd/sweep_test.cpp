#include "reference/svd/sweep.h"

#include "tests/reference/svd/matrices.h"

namespace assay::reference {
namespace {

TEST(JacobiSweep, KeepsNormsAndTheSumsOfSquares) {
  const Matrix<BigFloat> A = tests::random_matrix<BigFloat>(5, 7);  // by columns
  JacobiColumns<BigFloat> columns = jacobi_columns(A, identity<BigFloat>(5));
  const BigFloat before = dot<BigFloat>(columns.mass, columns.mass), u = NumberTraits<BigFloat>::unit_roundoff();
  for (int sweep = 0; sweep < 3; ++sweep) jacobi_sweep(columns, JacobiOrdering::de_rijk, u, u);
  tests::expect_near<BigFloat>(dot<BigFloat>(columns.mass, columns.mass), before, BigFloat(1e-47));
  const std::vector<BigFloat> updated = columns.norms;
  refresh_norms(columns);
  tests::expect_relatively_near(updated, columns.norms, BigFloat(1e-47));
  EXPECT_LE(tests::distance(product(columns.V, A), columns.AV), BigFloat(1e-47));
}

TEST(JacobiSweep, VisitsEveryPairOnce) {
  for (const JacobiOrdering ordering : {JacobiOrdering::cyclic, JacobiOrdering::de_rijk}) {
    JacobiColumns<double> columns = jacobi_columns(tests::random_matrix<double>(4, 6), identity<double>(4));
    EXPECT_EQ(jacobi_sweep(columns, ordering, 0.0, 1e-16).rotations, 6);
    EXPECT_EQ(jacobi_sweep(columns, ordering, 1.0, 1e-16).rotations, 0);  // no cosine is above 1
  }
}

}  // namespace
}  // namespace assay::reference
