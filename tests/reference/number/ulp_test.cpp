#include "reference/number/ulp.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

namespace assay::reference {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

TEST(UlpDistance, CountsNeighbours) {
  EXPECT_EQ(ulp_distance(1.0, 1.0), 0U);
  EXPECT_EQ(ulp_distance(0.0, -0.0), 0U);
  EXPECT_EQ(ulp_distance(1.0f, next_up(next_up(1.0f))), 2U);
  EXPECT_EQ(ulp_distance(next_up(0.0), next_down(0.0)), 2U);
  EXPECT_EQ(ulp_distance(std::numeric_limits<float>::max(), std::numeric_limits<float>::infinity()), 1U);
  EXPECT_EQ(ulp_distance(1.0, kNan), std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(ulp_distance(-kInfinity, kInfinity), 2 * ulp_distance(0.0, kInfinity));
}

TEST(RoundTo, IsExactOnRealsThemselves) {
  for (const double x : {0.0, 1.0, -0.1, 5e-324, 2.2250738585072014e-308, 1.7976931348623157e308, -kInfinity})
    EXPECT_EQ(round_to<double>(BigFloat(x)), x);
  EXPECT_TRUE(std::isnan(round_to<double>(BigFloat(kNan))));
}

/// Between two neighbours: below the middle, at it, above it; also where numbers are subnormal.
template <class Real>
void expect_nearest(Real lower) {
  const Real upper = next_up(lower);
  const BigFloat gap = BigFloat(upper) - BigFloat(lower), middle = BigFloat(lower) + gap / BigFloat(2);
  const BigFloat little = gap / BigFloat(0x1p60);  // lost by a conversion that rounds twice
  const Real even = ulp_distance(Real(0), lower) % 2 == 0 ? lower : upper;
  for (const Real sign : {Real(1), Real(-1)}) {
    EXPECT_EQ(round_to<Real>(BigFloat(sign) * (middle - little)), sign * lower) << hex_float(lower);
    EXPECT_EQ(round_to<Real>(BigFloat(sign) * (middle + little)), sign * upper) << hex_float(lower);
    EXPECT_EQ(round_to<Real>(BigFloat(sign) * middle), sign * even) << hex_float(lower);
  }
}

TEST(RoundTo, IsNearestWithTiesToEven) {
  std::mt19937_64 random(11);
  for (int i = 0; i < 200; ++i) {
    const double exponent = std::uniform_real_distribution<double>(-1073, 1020)(random);
    const double x = std::exp2(exponent);
    expect_nearest(x);
    if (exponent > -149 && exponent < 126) expect_nearest(static_cast<float>(x));
  }
  expect_nearest(0.0);
  expect_nearest(0.0f);
  expect_nearest(next_down(std::numeric_limits<double>::min()));
  expect_nearest(next_down(std::numeric_limits<float>::min()));
}

TEST(Ulp, IsTheGapAroundTheExactValue) {
  EXPECT_EQ(ulp<double>(BigFloat(1)), 0x1p-52);
  EXPECT_EQ(ulp<double>(BigFloat(1) - BigFloat(1e-20)), 0x1p-53);
  EXPECT_EQ(ulp<double>(BigFloat(-1) - BigFloat(1e-20)), 0x1p-52);
  EXPECT_EQ(ulp<float>(BigFloat(3)), 0x1p-22f);
  EXPECT_EQ(ulp<double>(BigFloat(0)), 5e-324);
  EXPECT_EQ(ulp<double>(BigFloat(1e-320)), 5e-324);
  EXPECT_EQ(ulp<float>(BigFloat(1e300)), 0x1p104f);
}

TEST(UlpError, MeasuresInUnitsOfTheGap) {
  const BigFloat third = BigFloat(1) / BigFloat(3);
  EXPECT_NEAR(ulp_error(1.0 / 3.0, third), 1.0 / 3.0, 1e-12);
  EXPECT_NEAR(ulp_error(next_up(1.0 / 3.0), third), 2.0 / 3.0, 1e-12);
  EXPECT_EQ(ulp_error(1.0f, BigFloat(1)), 0);
  EXPECT_EQ(ulp_error(1.0f + 0x1p-23f, BigFloat(1)), 1);
  EXPECT_EQ(ulp_error(0.0, BigFloat(5e-324)), 1);
}

TEST(UlpError, OfWhatIsNoNumber) {
  EXPECT_EQ(ulp_error(kNan, BigFloat(1)), kInfinity);
  EXPECT_EQ(ulp_error(1.0, BigFloat(kNan)), kInfinity);
  EXPECT_EQ(ulp_error(kNan, BigFloat(kNan)), 0);
  EXPECT_EQ(ulp_error(kInfinity, BigFloat(kInfinity)), 0);
  EXPECT_EQ(ulp_error(-kInfinity, BigFloat(kInfinity)), kInfinity);
  EXPECT_EQ(ulp_error(1.0, BigFloat(kInfinity)), kInfinity);
  EXPECT_EQ(ulp_error(kInfinity, BigFloat(1)), kInfinity);
}

TEST(HexFloat, ShowsTheBits) {
  EXPECT_EQ(hex_float(1.5), "0x1.8p+0");
  EXPECT_EQ(hex_float(-0.1f), "-0x1.99999ap-4");
}

}  // namespace
}  // namespace assay::reference
