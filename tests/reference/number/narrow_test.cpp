// Narrow: every half and bfloat16, their operations and functions against BigFloat rounded once; float against the
// machine's own.
#include "reference/number/narrow.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "reference/ctc/steps.h"
#include "reference/number/log_number.h"

namespace assay::reference {
namespace {

constexpr double inf = std::numeric_limits<double>::infinity();

/// The half of these bits, from the definition of the format.
double half_of(std::uint32_t bits) {
  const int exponent = static_cast<int>(bits >> 10 & 31U);
  const double fraction = bits & 1023U, sign = (bits >> 15U) != 0 ? -1 : 1;
  if (exponent == 31) return fraction == 0 ? sign * inf : std::numeric_limits<double>::quiet_NaN();
  return sign * (exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25));
}

/// All finite halves of sign +, in order, and infinity.
std::vector<double> all_halves() {
  std::vector<double> halves;
  for (std::uint32_t bits = 0; bits <= 31U << 10U; ++bits) halves.push_back(half_of(bits));
  return halves;
}

/// The half nearest to x >= 0, by search: ties to the one whose last bit is 0.
double nearest_half(const std::vector<double>& halves, const BigFloat& x) {
  std::size_t low = 0, high = halves.size() - 1;
  while (high - low > 1) {
    const std::size_t middle = (low + high) / 2;
    (BigFloat(halves[middle]) <= x ? low : high) = middle;
  }
  const double above = high + 1 == halves.size() ? 65536.0 : halves[high];  // where the next half would be
  const BigFloat down = x - BigFloat(halves[low]), up = BigFloat(above) - x;
  if (down == up) return halves[low % 2 == 0 ? low : high];
  return halves[down < up ? low : high];
}

TEST(Narrow, HoldsEveryHalf) {
  for (std::uint32_t bits = 0; bits < 1U << 16U; ++bits) {
    const double x = half_of(bits), kept = static_cast<double>(Half(x));
    EXPECT_TRUE(kept == x || (std::isnan(kept) && std::isnan(x))) << bits;
    EXPECT_EQ(std::signbit(kept), std::signbit(x)) << bits;
  }
}

TEST(Narrow, RoundsToTheNearestHalfTiesToEven) {
  const std::vector<double> halves = all_halves();
  for (std::size_t i = 0; i + 1 < halves.size(); ++i) {
    const double next = std::isinf(halves[i + 1]) ? 65536 : halves[i + 1], middle = halves[i] / 2 + next / 2;
    EXPECT_EQ(static_cast<double>(Half(std::nextafter(middle, 0.0))), halves[i]);
    EXPECT_EQ(static_cast<double>(Half(std::nextafter(middle, inf))), halves[i + 1]);
    EXPECT_EQ(static_cast<double>(Half(middle)), halves[i % 2 == 0 ? i : i + 1]);
    EXPECT_EQ(static_cast<double>(Half(-middle)), -halves[i % 2 == 0 ? i : i + 1]);
  }
}

TEST(Narrow, OperationsAndFunctionsOfHalvesAreRoundedOnce) {
  const std::vector<double> halves = all_halves();
  std::mt19937 random(7);
  std::uniform_int_distribution<std::size_t> pick(1, halves.size() - 2);
  using Traits = NumberTraits<Half>;
  using Exact = NumberTraits<BigFloat>;
  for (int i = 0; i < 20000; ++i) {
    const double a = halves[pick(random)], b = halves[pick(random)];
    const BigFloat x(a), y(b);
    ASSERT_EQ(static_cast<double>(Half(a) + Half(b)), nearest_half(halves, x + y)) << a << " + " << b;
    ASSERT_EQ(static_cast<double>(Half(a) * Half(b)), nearest_half(halves, x * y)) << a << " * " << b;
    ASSERT_EQ(static_cast<double>(Half(a) / Half(b)), nearest_half(halves, x / y)) << a << " / " << b;
    ASSERT_EQ(static_cast<double>(Traits::sqrt(Half(a))), nearest_half(halves, Exact::sqrt(x))) << a;
    ASSERT_EQ(static_cast<double>(Traits::exp(Half(-a))), nearest_half(halves, Exact::exp(-x))) << a;
    ASSERT_EQ(static_cast<double>(Traits::log1p(Half(a))), nearest_half(halves, Exact::log1p(x))) << a;
    const double b_or_1 = std::max(b, 1.0);  // the logarithm of b_or_1 is not negative
    ASSERT_EQ(static_cast<double>(Traits::log(Half(b_or_1))), nearest_half(halves, Exact::log(BigFloat(b_or_1)))) << b;
  }
}

TEST(Narrow, SingleIsTheFloatOfTheMachine) {
  std::mt19937 random(3);
  std::uniform_int_distribution<std::uint32_t> bits;
  const auto draw = [&] {
    const std::uint32_t word = bits(random);
    float x = 0;
    std::memcpy(&x, &word, sizeof x);
    return x;
  };
  const auto same = [](Single got, float expected) {
    return static_cast<double>(got) == static_cast<double>(expected) ||
           (NumberTraits<Single>::is_nan(got) && std::isnan(expected));
  };
  for (int i = 0; i < 200000; ++i) {
    const float a = draw(), b = draw();
    ASSERT_TRUE(same(Single(a) + Single(b), a + b)) << a << " + " << b;
    ASSERT_TRUE(same(Single(a) - Single(b), a - b)) << a << " - " << b;
    ASSERT_TRUE(same(Single(a) * Single(b), a * b)) << a << " * " << b;
    ASSERT_TRUE(same(Single(a) / Single(b), a / b)) << a << " / " << b;
  }
}

TEST(Narrow, FunctionsOfDoubleAreTheExactOnesRoundedOnce) {
  using Traits = NumberTraits<Double>;
  std::mt19937_64 random(11);
  std::uniform_real_distribution<double> real(-700, 700);
  for (int i = 0; i < 300; ++i) {
    const double x = real(random);
    const PrecisionScope scope(80);
    ASSERT_EQ(static_cast<double>(Traits::exp(Double(x))),
              static_cast<double>(NumberTraits<BigFloat>::exp(BigFloat(x))));
    ASSERT_EQ(static_cast<double>(Traits::log(Double(std::abs(x)))),
              static_cast<double>(NumberTraits<BigFloat>::log(BigFloat(std::abs(x)))));
  }
}

TEST(Narrow, ValuesAtTheEnds) {
  using Traits = NumberTraits<Half>;
  EXPECT_EQ(static_cast<double>(Traits::exp(Half(12))), inf);
  EXPECT_EQ(static_cast<double>(Traits::exp(Half(-20))), 0);
  EXPECT_EQ(static_cast<double>(Traits::exp(Half(-inf))), 0);
  EXPECT_EQ(static_cast<double>(Traits::exp(Half(0))), 1);
  EXPECT_EQ(static_cast<double>(Traits::log(Half(0))), -inf);
  EXPECT_EQ(static_cast<double>(Traits::log(Half(1))), 0);
  EXPECT_TRUE(Traits::is_nan(Traits::log(Half(-1))));
  EXPECT_TRUE(Traits::is_nan(Half(inf) - Half(inf)));
  EXPECT_EQ(static_cast<double>(Half(65519.0)), 65504);
  EXPECT_EQ(static_cast<double>(Half(65520.0)), inf);
  EXPECT_EQ(static_cast<double>(BFloat16(3.4e38)), inf);
  EXPECT_EQ(Traits::to_string(Half(0.1), 5), "0.099976");
}

}  // namespace
}  // namespace assay::reference
