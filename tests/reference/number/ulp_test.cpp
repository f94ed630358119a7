#include "reference/number/ulp.h"

#include <gtest/gtest.h>

#include <limits>

namespace assay::reference {
namespace {

template <class Real>
class Ulp : public testing::Test {};
using Reals = testing::Types<float, double>;
TYPED_TEST_SUITE(Ulp, Reals);

TYPED_TEST(Ulp, IsTheGapAboveTheRoundedValue) {
  using Limits = std::numeric_limits<TypeParam>;
  const BigFloat one(1), epsilon(Limits::epsilon());
  for (const BigFloat& sign : {one, -one}) {
    EXPECT_EQ(ulp<TypeParam>(sign), Limits::epsilon());
    EXPECT_EQ(ulp<TypeParam>(sign * (one - epsilon / 8)), Limits::epsilon());  // rounds to 1
    EXPECT_EQ(ulp<TypeParam>(sign * (one - epsilon / 2)), Limits::epsilon() / 2);
    EXPECT_EQ(ulp<TypeParam>(sign * 3), 2 * Limits::epsilon());
  }
}

TYPED_TEST(Ulp, IsTheSmallestSubnormalAtZeroAndBelowTheNormalRange) {
  using Limits = std::numeric_limits<TypeParam>;
  const BigFloat smallest(Limits::denorm_min()), normal(Limits::min());
  for (const BigFloat& x : {BigFloat(0), -BigFloat(0), smallest, smallest / 8, -7 * smallest, normal / 2, normal})
    EXPECT_EQ(ulp<TypeParam>(x), Limits::denorm_min()) << x;
  EXPECT_EQ(ulp<TypeParam>(2 * normal), 2 * Limits::denorm_min());
}

TYPED_TEST(Ulp, IsTheLastGapAtTheLargestNumberAndBeyond) {
  using Limits = std::numeric_limits<TypeParam>;
  const TypeParam last = std::ldexp(TypeParam(1), Limits::max_exponent - Limits::digits);
  const BigFloat largest(Limits::max());
  for (const BigFloat& x : {BigFloat(largest - BigFloat(last)), largest, BigFloat(-largest), BigFloat(2 * largest),
                            NumberTraits<BigFloat>::infinity()})
    EXPECT_EQ(ulp<TypeParam>(x), last) << x;
}

}  // namespace
}  // namespace assay::reference
