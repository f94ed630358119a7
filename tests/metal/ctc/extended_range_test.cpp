// Numbers of extended range: sums and products are those of doubles wherever doubles have the range.
#include "metal/cpu/ctc/extended_range.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

namespace assay::metal::cpu {
namespace {

/// 2^power, for any power that a double holds as a whole number.
Extended power_of_two(double power) {
  const double exponent = std::nearbyint(power / Extended::log2_radix);
  return normalized(std::exp2(power - Extended::log2_radix * exponent), exponent);
}

void expect_equal(Extended a, Extended b) {
  EXPECT_EQ(a.mantissa, b.mantissa);
  EXPECT_EQ(a.exponent, b.exponent);
}

TEST(ExtendedRange, NormalizesAtBothEdges) {
  expect_equal(normalized(0x1p256, 3.0), {0x1p-256, 4.0});
  expect_equal(normalized(std::nextafter(0x1p256, 0.0), 3.0), {std::nextafter(0x1p256, 0.0), 3.0});
  expect_equal(normalized(0x1p-256, 3.0), {0x1p-256, 3.0});
  expect_equal(normalized(std::nextafter(0x1p-256, 0.0), 3.0), {std::nextafter(0x1p-256, 0.0) * 0x1p512, 2.0});
}

TEST(ExtendedRange, ZeroIsNeutralInSumsAndAbsorbsInProducts) {
  const Extended zero, tiny = power_of_two(-1e12);
  expect_equal(zero + tiny, tiny);
  expect_equal(tiny + zero, tiny);
  EXPECT_TRUE((zero + zero).is_zero());
  EXPECT_TRUE((zero * tiny).is_zero());
  EXPECT_TRUE((tiny * zero).is_zero());
  EXPECT_TRUE((zero * zero).is_zero());
  expect_equal((zero * tiny) + tiny, tiny);
  expect_equal(one * tiny, tiny);
}

TEST(ExtendedRange, AgreesWithDoublesToTheLastBit) {
  std::mt19937_64 bits(1);
  std::uniform_real_distribution<double> power(-250.0, 250.0);
  for (int i = 0; i < 20000; ++i) {
    const double a = std::exp2(power(bits)), b = std::exp2(power(bits));
    const Extended x = normalized(a, 0.0), y = normalized(b, 0.0);
    const Extended xx = normalized(a * a, 0.0), yy = normalized(b * b, 0.0);  // across both edges
    EXPECT_EQ(quotient(x * y, one), a * b);
    EXPECT_EQ(quotient(x, y), a / b);
    EXPECT_EQ(quotient(xx + yy, one), a * a + b * b);
  }
}

TEST(ExtendedRange, ProductsNeverUnderflowAndUndoThemselves) {
  Extended product = one;
  for (int i = 0; i < 100000; ++i) product = product * Extended{0x1p-200, -1.0};
  expect_equal(product, power_of_two(-712.0 * 100000));
  for (int i = 0; i < 100000; ++i) product = product * Extended{0x1p200, 1.0};
  expect_equal(product, one);
}

TEST(ExtendedRange, SumsSeeATermJustWithinReachAndRoundAwayTheOthers) {
  for (const double power : {0.0, 255.0, 256.0, -256.0, -1e6}) {
    const Extended large = power_of_two(power);
    const Extended within = large + power_of_two(power - 52.0);
    EXPECT_EQ(quotient(within, large), 1.0 + 0x1p-52);
    expect_equal(large + power_of_two(power - 54.0), large);
    expect_equal(power_of_two(power - 600.0) + large, large);
    expect_equal(power_of_two(power - 1e9) + large, large);
  }
}

TEST(ExtendedRange, QuotientsSaturateOutsideDoubles) {
  EXPECT_EQ(quotient(power_of_two(-5000.0), one), 0.0);
  EXPECT_EQ(quotient(power_of_two(-500.0), one), 0x1p-500);
  EXPECT_EQ(quotient(power_of_two(-1e6 - 1.0), power_of_two(-1e6)), 0.5);
  EXPECT_EQ(quotient(power_of_two(5000.0), one), std::numeric_limits<double>::max());
  EXPECT_EQ(quotient(Extended{}, one), 0.0);
}

TEST(ExtendedRange, LogarithmIsExactWhereItMatters) {
  EXPECT_EQ(log(one), 0.0);
  EXPECT_EQ(log(normalized(1.0 - 0x1p-53, 0.0)), std::log1p(-0x1p-53));
  EXPECT_EQ(log(Extended{}), -std::numeric_limits<double>::infinity());
  const double ln2 = std::log(2.0);
  for (const double power : {-1e15, -123456.0, -300.0, -1.0, 300.0, 1e9})
    EXPECT_NEAR(log(power_of_two(power)), power * ln2, 8 * 0x1p-53 * std::fabs(power * ln2));
}

}  // namespace
}  // namespace assay::metal::cpu
