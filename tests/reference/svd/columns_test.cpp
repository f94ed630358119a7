#include "reference/svd/columns.h"

#include <gtest/gtest.h>

#include "reference/svd/products.h"

namespace assay::reference {
namespace {

/// Columns (3, 4) and (0, 1e-8): of length 5 and 1e-8, of mass the same; rho is that of rows (3/5, 0) and (4/5, 1).
JacobiColumns<double> two_columns() {
  Matrix<double> A(2, 2);
  A(0, 0) = 3, A(0, 1) = 4, A(1, 1) = 1e-8;
  return jacobi_columns(A, identity<double>(2));
}

TEST(JacobiColumns, KnowTheirNormsAndThoseOfTheirRows) {
  const JacobiColumns<double> columns = two_columns();
  EXPECT_EQ(columns.norms, (std::vector<double>{5, 1e-8}));
  EXPECT_EQ(columns.mass, columns.norms);
  EXPECT_DOUBLE_EQ(columns.rho[0], 0.6);
  EXPECT_DOUBLE_EQ(columns.rho[1], std::sqrt(1.64));
}

TEST(IsRoundingError, AsksWhatAColumnWasMadeOfAndNotHowSmallItIs) {
  JacobiColumns<double> columns = two_columns();
  EXPECT_FALSE(is_rounding_error(columns, 1, 1e-6));
  columns.mass[1] = 5;  // as after a rotation with column 0
  EXPECT_TRUE(is_rounding_error(columns, 1, 1e-6));
  EXPECT_FALSE(is_rounding_error(columns, 1, 1e-10));
}

TEST(JacobiColumns, AreSwappedAndSetToZeroWithAllThatBelongsToThem) {
  JacobiColumns<double> columns = two_columns();
  swap_columns(columns, 0, 1);
  EXPECT_EQ(columns.norms, (std::vector<double>{1e-8, 5}));
  EXPECT_EQ(columns.AV(1, 0), 3);
  EXPECT_EQ(columns.V(0, 1), 1);
  set_to_zero(columns, 1);
  EXPECT_EQ(columns.norms[1], 0);
  EXPECT_EQ(columns.AV(1, 1), 0);
}

}  // namespace
}  // namespace assay::reference
