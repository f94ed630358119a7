#include "reference/matrix.h"

#include <gtest/gtest.h>

namespace assay::reference {
namespace {

TEST(Matrix, IsRowMajorAndZeroWhereNothingElseIsSaid) {
  Matrix<int> A(2, 3);
  A(1, 0) = 4, A.row(1)[2] = 6;
  EXPECT_EQ(A(0, 1), 0);
  EXPECT_EQ(A(1, 2), 6);
  EXPECT_EQ(&A(0, 2) + 1, &A(1, 0));
  EXPECT_EQ(Matrix<int>(2, 3, 7)(1, 1), 7);
  EXPECT_NE(A, Matrix<int>(2, 3));
  EXPECT_NE(Matrix<int>(0, 3), Matrix<int>(3, 0));
}

TEST(Matrix, IsMappedAndSubtractedElementByElement) {
  Matrix<int> A(1, 2, 3);
  A(0, 1) = 5;
  const Matrix<double> halves = map(A, [](int x) { return x / 2.0; });
  EXPECT_EQ(halves(0, 0), 1.5);
  EXPECT_EQ(halves(0, 1), 2.5);
  EXPECT_EQ(difference(A, Matrix<int>(1, 2, 3))(0, 1), 2);
}

}  // namespace
}  // namespace assay::reference
