#include "reference/svd/differentiate.h"

#include "tests/reference/svd/matrices.h"

namespace assay::reference {
namespace {

TEST(NumericalGradient, IsThatOfAPolynomial) {
  const Matrix<BigFloat> A = tests::random_matrix<BigFloat>(3, 2);
  const Matrix<BigFloat> gradient =
      numerical_gradient([](const Matrix<BigFloat>& at) { return at(0, 0) * at(0, 0) * at(0, 0) * at(2, 1); }, A);
  EXPECT_LE(abs(BigFloat(gradient(0, 0) - BigFloat(3) * A(0, 0) * A(0, 0) * A(2, 1))), BigFloat(1e-48));
  EXPECT_LE(abs(BigFloat(gradient(2, 1) - A(0, 0) * A(0, 0) * A(0, 0))), BigFloat(1e-48));
  EXPECT_EQ(gradient(1, 0), BigFloat(0));
}

}  // namespace
}  // namespace assay::reference
