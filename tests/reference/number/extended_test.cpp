#include "reference/number/extended.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "reference/number/big_float.h"

namespace assay::reference {
namespace {

using Wide = Extended<double>;
using WideTraits = NumberTraits<Wide>;

TEST(Extended, KeepsTheNumberExactly) {
  for (const double x : {0.0, 1.0, 0.1, 5e-324, std::numeric_limits<double>::max()}) {
    EXPECT_EQ(WideTraits::value(Wide(x)), x);
    if (x != 0) {
      EXPECT_TRUE(Wide(x).mantissa() >= 0.5 && Wide(x).mantissa() < 1);
    }
  }
}

TEST(Extended, MultipliesAndDividesBeyondTheRange) {
  Wide x(1);
  for (int i = 0; i < 1000; ++i) x *= Wide(0x1p-1000);
  EXPECT_EQ(x.exponent(), -999'999);
  EXPECT_EQ(WideTraits::value(x), 0);
  for (int i = 0; i < 1000; ++i) x /= Wide(0x1p-1000);
  EXPECT_EQ(x, Wide(1));
}

TEST(Extended, RoundsSumsAsDoubleDoes) {
  for (int gap = 0; gap < 70; ++gap) {
    const double small = std::ldexp(0.7, -gap);
    EXPECT_EQ(WideTraits::value(Wide(0.9) + Wide(small)), 0.9 + small) << gap;
    EXPECT_EQ(WideTraits::value(Wide(small) + Wide(0.9)), 0.9 + small) << gap;
  }
  EXPECT_EQ(Wide(0.3) + Wide(0), Wide(0.3));
  EXPECT_EQ(Wide(0) + Wide(0.3), Wide(0.3));
}

/// The mantissa stays in [1/2, 1) by whichever operation, as frexp would have it.
TEST(Extended, StaysNormal) {
  Wide x(0.7);
  double check = 0.7;
  for (int i = 1; i < 300; ++i) {
    const double y = 0.5 + 0.0078125 * (i % 64);
    if (i % 3 == 0) x *= Wide(y), check *= y;
    if (i % 3 == 1) x += Wide(y), check += y;
    if (i % 3 == 2) x /= Wide(y), check /= y;
    int exponent = 0;
    EXPECT_EQ(x.mantissa(), std::frexp(check, &exponent)) << i;
    EXPECT_EQ(x.exponent(), exponent) << i;
  }
}

TEST(Extended, Compares) {
  EXPECT_TRUE(Wide(0) < Wide(5e-324));
  EXPECT_TRUE(Wide(1) < Wide(2));
  EXPECT_TRUE(Wide(0.6) < Wide(0.7));
  EXPECT_FALSE(Wide(2) < Wide(1.5));
}

/// x, of which BigFloat takes a double at a time.
BigFloat exactly(long double x) {
  const auto high = static_cast<double>(x);
  return std::isfinite(high) ? BigFloat(high) + BigFloat(static_cast<double>(x - high)) : BigFloat(high);
}

/// exp and log against 50 digits, in and far out of the range of the type.
template <class Real>
void expect_exp_and_log() {
  using RealTraits = NumberTraits<Extended<Real>>;
  const BigFloat tolerance = BigFloat(2) * exactly(std::numeric_limits<Real>::epsilon());
  for (const Real x : {Real(0), Real(1e-3), Real(-0.3), Real(1), Real(-7.5), Real(100.25), Real(-1000.3), Real(-1e5),
                       std::numeric_limits<Real>::max_exponent / Real(2) + Real(0.1)}) {
    const Extended<Real> got = RealTraits::exp(x);
    const BigFloat exact = exp(exactly(x));
    const BigFloat ratio =
        exactly(got.mantissa()) / exact * exp(BigFloat(static_cast<double>(got.exponent())) * log(BigFloat(2)));
    EXPECT_LT(abs(BigFloat(ratio - 1)), tolerance) << x;
    const BigFloat back = exactly(RealTraits::log(got));
    EXPECT_LT(abs(BigFloat(back - exactly(x))), tolerance * (abs(exactly(x)) + 1)) << x;
  }
  EXPECT_TRUE(RealTraits::exp(-std::numeric_limits<Real>::infinity()).is_zero());
  EXPECT_EQ(RealTraits::log(Extended<Real>(0)), -std::numeric_limits<Real>::infinity());
}

TEST(Extended, HasExpAndLogOfEveryRange) {
  expect_exp_and_log<double>();
  expect_exp_and_log<float>();
  expect_exp_and_log<long double>();
}

TEST(Extended, LogDoesNotCancelNearOne) {
  for (const double x : {1 + 0x1p-40, 1 - 0x1p-40}) EXPECT_EQ(WideTraits::log(Wide(x)), std::log(x));
}

}  // namespace
}  // namespace assay::reference
