#include "reference/svd/scaling.h"

#include <gtest/gtest.h>

#include <limits>

#include "reference/number/big_float.h"

namespace assay::reference {
namespace {

template <class Real>
class Scaling : public testing::Test {};
using Reals = testing::Types<float, double>;
TYPED_TEST_SUITE(Scaling, Reals);

TYPED_TEST(Scaling, BringsTheLargestElementOfAnyMatrixToOneMagnitude) {
  using Limits = std::numeric_limits<TypeParam>;
  const TypeParam goal = std::ldexp(TypeParam(1), Limits::max_exponent - 34);
  for (const TypeParam largest : {Limits::max(), TypeParam(-1), TypeParam(0.3), Limits::min(), Limits::denorm_min()}) {
    Matrix<TypeParam> A(2, 2);
    A(0, 1) = largest, A(1, 1) = largest / 2;
    const TypeParam brought = std::abs(scaled(largest, scaling_exponent(A)));
    EXPECT_TRUE(brought < goal && brought >= goal / 2) << largest;
    EXPECT_EQ(scaled(scaled(largest, scaling_exponent(A)), -scaling_exponent(A)), largest);
  }
  EXPECT_EQ(scaling_exponent(Matrix<TypeParam>(2, 2)), 0);
  EXPECT_EQ(min_norm<TypeParam>() * Limits::epsilon(), Limits::min());
}

TEST(Scaling, LeavesNumbersOfAnyPrecisionAlone) {
  EXPECT_EQ(scaling_exponent(Matrix<BigFloat>(1, 1, BigFloat(1e300))), 0);
  EXPECT_EQ(scaled(BigFloat(3), 5), BigFloat(3));
  EXPECT_EQ(min_norm<BigFloat>(), BigFloat(0));
}

}  // namespace
}  // namespace assay::reference
