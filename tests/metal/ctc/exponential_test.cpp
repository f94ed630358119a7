// exp(a - m) against 50 digits: within the 4 u that error_bound.h counts, over the whole range it claims.
#include "metal/cpu/ctc/exponential.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <cmath>
#include <limits>
#include <random>

#include "metal/cpu/simd/exponential.h"
#include "tests/limits.h"

namespace assay::metal::cpu {
namespace {

using Exact = boost::multiprecision::cpp_bin_float_50;

constexpr double u = 0x1p-53;
using tests::infinity;

/// The relative error of `value` as exp(a - m), in u.
double error(Extended value, float a, float m) {
  const int power = static_cast<int>(value.exponent * Extended::log2_radix);
  const Exact got = ldexp(Exact(value.mantissa), power);
  return static_cast<double>(abs(got / exp(Exact(a) - Exact(m)) - 1)) / u;
}

/// The worst error, in u, over pairs with a <= m whose magnitudes are spread evenly over [2^lowest, 2^highest].
double worst_error(double lowest, double highest, int pairs) {
  std::mt19937_64 bits(2);
  std::uniform_real_distribution<double> power(lowest, highest), sign(-1.0, 1.0);
  const auto draw = [&] { return static_cast<float>(std::copysign(std::exp2(power(bits)), sign(bits))); };
  double worst = 0.0;
  for (int i = 0; i < pairs; ++i) {
    const float x = draw(), y = draw();
    worst = std::max(worst, error(exponential(std::min(x, y), std::max(x, y)), std::min(x, y), std::max(x, y)));
  }
  return worst;
}

TEST(Exponential, IsWithinFourRoundingsFromTinyToHugeDifferences) {
  EXPECT_LE(worst_error(-60.0, 0.0, 5000), 4.0);
  EXPECT_LE(worst_error(0.0, 10.0, 5000), 4.0);
  EXPECT_LE(worst_error(10.0, 29.0, 5000), 4.0);
  EXPECT_LE(worst_error(-100.0, 29.0, 5000), 4.0);
}

TEST(Exponential, IsExactAtZeroAndAtMinusInfinity) {
  const Extended same = exponential(3.25F, 3.25F);
  EXPECT_EQ(same.mantissa, 1.0);
  EXPECT_EQ(same.exponent, 0.0);
  EXPECT_TRUE(exponential(-infinity, 3.0F).is_zero());
}

TEST(Exponential, KeepsTheLogarithmOfFloatsOfAnySize) {
  const double ln2 = std::log(2.0);
  for (const float a : {-1.1e9F, -2e9F, -1e12F, -1e30F, -std::numeric_limits<float>::max()})
    for (const float m : {0.0F, 1.0F, 1e9F, -a}) {
      const double exact = static_cast<double>(a) - static_cast<double>(m);
      EXPECT_NEAR(log(exponential(a, m)), exact, 0x1p-30 * std::fabs(exact) + ln2) << a << " - " << m;
    }
}

TEST(Exponential, ResolvesSmallLogitsBelowAHugeMaximum) {
  const Extended ratio_of_e = exponential(2.0F, 1e30F);
  EXPECT_DOUBLE_EQ(quotient(exponential(1.0F, 1e30F), ratio_of_e), std::exp(-1.0));
}

TEST(Exponential, EqualCostsOfHugeLogitsAddUpEqually) {
  const Extended y = exponential(-1e30F, 0.0F);
  Extended left = one, right = one;
  for (int i = 0; i < 700; ++i) left = left * y;
  for (int i = 0; i < 300; ++i) right = right * y;
  Extended all = one;
  for (int i = 0; i < 1000; ++i) all = all * y;
  EXPECT_EQ((left * right).exponent, all.exponent);
}

using baseline::ExpRange;

/// exp(a) 2^-k0 by the inner loops' own exponential, in all lanes.
double in_lanes(float a, ExpRange range = {}) {
  return baseline::smallest(baseline::exponential(baseline::all(double{a}), range));
}

TEST(ExponentialInLanes, IsWithinThreeRoundings) {
  std::mt19937_64 bits(4);
  std::uniform_real_distribution<double> power(-60.0, 19.0), sign(-1.0, 1.0), depth(0.0, 600.0);
  double worst = 0.0;
  for (int i = 0; i < 20000; ++i) {
    const auto highest = static_cast<float>(std::copysign(std::exp2(power(bits)), sign(bits)));
    const float a = std::min(highest, highest - static_cast<float>(depth(bits)));
    if (static_cast<double>(highest) - static_cast<double>(a) > 600.0) continue;
    const ExpRange range = ExpRange::below(highest);
    const Exact exact = exp(Exact(a) - range.k0 * log(Exact(2)));
    worst = std::max(worst, static_cast<double>(abs(in_lanes(a, range) / exact - 1)) / u);
  }
  EXPECT_LE(worst, 3.0);
  EXPECT_GT(worst, 0.5);
}

// Every entry of the table counts alike among the logits of usual size.
TEST(ExponentialInLanes, IsWithinThreeRoundingsAtEveryStep) {
  double worst = 0.0;
  for (int n = -1480; n <= 1480; ++n)
    for (const double part : {-0.499, -0.25, 0.0, 0.25, 0.499}) {
      const auto a = static_cast<float>((n + part) * std::log(2.0) / baseline::steps);
      worst = std::max(worst, static_cast<double>(abs(in_lanes(a) / exp(Exact(a)) - 1)) / u);
    }
  EXPECT_LE(worst, 3.0);
  EXPECT_GT(worst, 1.0);
}

TEST(ExponentialInLanes, MakesTheHighestAboutOne) {
  for (const float highest : {-0x1p19F, -1000.0F, -0.1F, 0.0F, 3.0F, 700.0F, 0x1p19F}) {
    const double one = in_lanes(highest, ExpRange::below(highest));
    EXPECT_TRUE(one > 0.7 && one < 1.42) << highest;
  }
}

TEST(ExponentialInLanes, SaturatesOutsideItsRange) {
  EXPECT_EQ(in_lanes(0.0F), 1.0);
  EXPECT_DOUBLE_EQ(in_lanes(-599.9F), std::exp(static_cast<double>(-599.9F)));
  EXPECT_DOUBLE_EQ(in_lanes(708.9F), std::exp(static_cast<double>(708.9F)));
  for (const float below : {-601.0F, -1e30F, -infinity}) EXPECT_DOUBLE_EQ(in_lanes(below), std::exp(-600.0));
  for (const float below : {-702.0F, -infinity})
    EXPECT_DOUBLE_EQ(in_lanes(below, ExpRange::below(-100.0)), std::exp(-701.0) * std::exp2(144.0));
}

}  // namespace
}  // namespace assay::metal::cpu
