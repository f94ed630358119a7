// Square roots of every number type that has them, unit roundoffs, and what is written once for all types.
#include "reference/number/traits.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "reference/number/ball.h"
#include "reference/number/big_float.h"
#include "tests/reference/expect.h"

namespace assay::reference {
namespace {

using tests::infinity;
using tests::nan;

using BigTraits = NumberTraits<BigFloat>;

TEST(Sqrt, OfFloatAndDoubleIsCorrectlyRounded) {
  for (const double x : {2.0, 0.1, 1e300, 5e-324, 3e-310, 0.0}) {
    EXPECT_EQ(NumberTraits<double>::sqrt(x), static_cast<double>(BigTraits::sqrt(BigFloat(x)))) << x;
    const auto single = static_cast<float>(x);
    EXPECT_EQ(NumberTraits<float>::sqrt(single), static_cast<float>(BigTraits::sqrt(BigFloat(single)))) << x;
  }
  EXPECT_TRUE(std::isnan(NumberTraits<double>::sqrt(-1.0)));
}

TEST(Sqrt, OfBigFloatIsWithinItsUnitRoundoff) {
  for (const int digits : {17, 50, 100}) {
    for (const int x : {2, 3, 5, 7, 1000003}) {
      BigFloat root, u;
      {
        const PrecisionScope scope(digits);
        root = BigTraits::sqrt(BigFloat(x)), u = BigTraits::unit_roundoff();
      }
      const PrecisionScope scope(120);
      const BigFloat relative = abs(BigFloat(root * root / BigFloat(x) - BigFloat(1)));  // twice the error of the root
      EXPECT_LE(relative, BigFloat(2) * u * (BigFloat(1) + u)) << digits << " digits, " << x;
    }
  }
}

TEST(Sqrt, OfBigFloatIsExactForSquaresAndKnowsItsEnds) {
  EXPECT_EQ(BigTraits::sqrt(BigFloat(1024)), BigFloat(32));
  const BigFloat third = BigFloat(1) / BigFloat(3);
  const PrecisionScope scope(105);
  EXPECT_EQ(BigTraits::sqrt(third * third), third);
  EXPECT_EQ(BigTraits::sqrt(BigFloat(0)), BigFloat(0));
  EXPECT_EQ(BigTraits::sqrt(BigTraits::infinity()), BigTraits::infinity());
  EXPECT_TRUE(BigTraits::is_nan(BigTraits::sqrt(BigFloat(-1))));
}

TEST(UnitRoundoff, IsHalfTheGapAboveOne) {
  EXPECT_EQ(NumberTraits<double>::unit_roundoff(), 0x1p-53);
  EXPECT_EQ(NumberTraits<float>::unit_roundoff(), 0x1p-24F);
  for (const int digits : {17, 50, 100}) {
    const PrecisionScope scope(digits);
    const BigFloat u = BigTraits::unit_roundoff();
    EXPECT_GT(BigFloat(1) + (u + u), BigFloat(1));
    EXPECT_LE(u, BigFloat("1e-" + std::to_string(digits)));
#if defined(ASSAY_HAVE_MPFR)
    EXPECT_EQ(BigFloat(1) + u, BigFloat(1));  // a tie, to even
#endif
  }
}

TEST(IsMinusInfinity, IsNeitherNanNorLarge) {
  EXPECT_TRUE(is_minus_infinity(-infinity) && is_minus_infinity(BigFloat(-infinity)));
  for (const double x : {infinity, nan, -1e308, 0.0})
    EXPECT_FALSE(is_minus_infinity(x) || is_minus_infinity(BigFloat(x)));
}

TEST(AddProduct, IsWhatTheTypeDoesBest) {
  float sum = 1;
  add_product(sum, 2.0F, 3.0F);
  EXPECT_EQ(sum, 7);
#if defined(ASSAY_HAVE_MPFR)
  const BigFloat x = BigFloat(1) + BigTraits::unit_roundoff() * 2;
  BigFloat rest = -(x * x);
  add_product(rest, x, x);  // the rest is what the rounding of x * x lost
  EXPECT_FALSE(BigTraits::is_zero(rest));
#endif
}

#if ASSAY_HAVE_CERTIFIED
TEST(Sqrt, OfBallsEncloses) {
  const Ball root = NumberTraits<Ball>::sqrt(Ball(2));
  EXPECT_TRUE((root * root).contains(Rational(2)));
  EXPECT_LT(root.radius(), BigFloat(1e-50));
  EXPECT_GT(root.radius(), BigFloat(0));
  const Ball some = sqrt(Ball::between(BigFloat(-1), BigFloat(4)));
  EXPECT_TRUE(some.contains(Rational(0)) && some.contains(Rational(2)));
  EXPECT_TRUE(some < Ball(2.001));
  EXPECT_FALSE(NumberTraits<Ball>::is_finite(sqrt(Ball(-1))));
}
#endif

}  // namespace
}  // namespace assay::reference
