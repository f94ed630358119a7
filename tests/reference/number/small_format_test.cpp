// Small formats: every code from the definition of its format, and roundings against a search of all numbers.
#include "reference/number/small_format.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "tests/reference/expect.h"

namespace assay::reference {
namespace {

using tests::nan;

constexpr double inf = tests::infinity;

/// Where a format has no numbers, from the specifications' tables; its numbers follow from the bits.
double from_bits(const SmallFormat& f, int code) {
  const std::string name(f.name);
  if (name == "int8" || name == "int4") return code >= f.codes() / 2 ? code - f.codes() : code;
  if (name == "uint8" || name == "uint4") return code;
  if (name == "e8m0") return code == 255 ? nan : std::exp2(code - 127);
  static const std::map<std::string, std::vector<int>> widths = {
      {"e4m3fn", {4, 3, 7}}, {"e4m3fnuz", {4, 3, 8}}, {"e5m2", {5, 2, 15}}, {"e5m2fnuz", {5, 2, 16}},
      {"e3m2", {3, 2, 3}},   {"e2m3", {2, 3, 1}},     {"e2m1", {2, 1, 1}}};
  const int exponent_bits = widths.at(name)[0], mantissa_bits = widths.at(name)[1], bias = widths.at(name)[2];
  const double sign = code >= f.codes() / 2 ? -1 : 1;
  const int size = code % (f.codes() / 2), exponent = size / (1 << mantissa_bits),
            mantissa = size % (1 << mantissa_bits);
  if (name == "e4m3fn" && size == 0x7F) return nan;
  if (name.ends_with("fnuz") && code == 0x80) return nan;
  if (name == "e5m2" && exponent == 31) return mantissa == 0 ? sign * inf : nan;
  const double part = std::ldexp(mantissa, -mantissa_bits);
  EXPECT_LT(exponent, 1 << exponent_bits);
  return sign * (exponent == 0 ? std::ldexp(part, 1 - bias) : std::ldexp(1 + part, exponent - bias));
}

TEST(SmallFormat, EachCodeIsTheNumberOfItsBits) {
  for (const SmallFormat& f : small_formats)
    for (int code = 0; code < f.codes(); ++code) {
      const double due = from_bits(f, code), got = f.decoded(code);
      EXPECT_TRUE(std::isnan(due) ? std::isnan(got) : due == got && std::signbit(due) == std::signbit(got))
          << f.name << " code " << code << ": " << got << ", expected " << due;
    }
}

TEST(SmallFormat, LargestNumbersAreThoseOfTheSpecifications) {
  const std::map<std::string, double> largest = {
      {"e4m3fn", 448}, {"e4m3fnuz", 240}, {"e5m2", 57344}, {"e5m2fnuz", 57344}, {"e8m0", 0x1p127}, {"e3m2", 28},
      {"e2m3", 7.5},   {"e2m1", 6},       {"int8", 127},   {"uint8", 255},      {"int4", 7},       {"uint4", 15}};
  for (const SmallFormat& f : small_formats) EXPECT_EQ(f.largest(), largest.at(std::string(f.name))) << f.name;
}

TEST(SmallFormat, RanksAreInOrderAndHaveAllNumbers) {
  for (const SmallFormat& f : small_formats) {
    int finite = 0;
    for (int code = 0; code < f.codes(); ++code) finite += std::isfinite(f.decoded(code)) ? 1 : 0;
    const bool has_minus_zero = f.is_signed && !f.is_whole() && f.specials != Specials::minus_zero;
    EXPECT_EQ(f.highest() - f.lowest() + 1 + (has_minus_zero ? 1 : 0), finite) << f.name;
    for (int rank = f.lowest(); rank < f.highest(); ++rank) EXPECT_LT(f.at(rank), f.at(rank + 1)) << f.name;
  }
}

/// By distance to all numbers, and to one beyond each end.
double by_search(const Cast& cast, double x) {
  const SmallFormat& f = *cast.format;
  double best = nan;
  for (int rank = f.lowest(); rank <= f.highest(); ++rank) {
    const double y = f.at(rank), distance = std::abs(x - y), least = std::abs(x - best);
    const bool is_allowed = cast.rounding == Rounding::zero ? std::abs(y) <= std::abs(x) && x * y >= 0
                            : cast.rounding == Rounding::up ? y >= x
                                                            : true;
    if (!is_allowed) continue;
    const bool wins_tie =
        cast.rounding == Rounding::nearest_away ? std::abs(y) > std::abs(best) : rank % 2 == 0 || f.mantissa_bits == 0;
    if (std::isnan(best) || distance < least || (distance == least && wins_tie)) best = y;
  }
  if (!std::isnan(best)) return best;
  return x > 0 ? f.largest() : f.at(f.lowest());
}

template <class Number>
double rounded_in(const Cast& cast, double x) {
  return NumberTraits<Number>::to_double(rounded_to<Number>(cast, NumberTraits<Number>::from_real(x)));
}

std::vector<double> near_midpoints(const SmallFormat& f) {
  std::vector<double> all;
  for (int rank = f.lowest(); rank < f.highest(); ++rank) {
    const double middle = f.at(rank) / 2 + f.at(rank + 1) / 2;
    for (const double x : {f.at(rank), middle, std::nextafter(middle, inf), std::nextafter(middle, -inf)})
      all.push_back(x);
  }
  return all;
}

TEST(SmallFormat, RoundsToTheNearestNumberOrToOneSide) {
  for (const SmallFormat& f : small_formats)
    for (const Rounding rounding : {Rounding::nearest_even, Rounding::nearest_away, Rounding::zero, Rounding::up})
      for (const double x : near_midpoints(f)) {
        const Cast cast{&f, rounding};
        const bool is_between = f.name != "e8m0" || x >= f.at(0);
        if (!is_between) continue;
        const double due = by_search(cast, x);
        EXPECT_EQ(rounded_in<double>(cast, x), due) << f.name << " of " << x;
        EXPECT_EQ(rounded_in<BigFloat>(cast, x), due) << f.name << " of " << x;
#if ASSAY_HAVE_CERTIFIED
        EXPECT_EQ(rounded_in<Ball>(cast, x), due) << f.name << " of " << x;
#endif
      }
}

TEST(SmallFormat, SaturatesOrLeavesTheRange) {
  const auto called = [](const char* name, bool saturates) { return cast_called(name, "nearest-even", saturates); };
  for (const double x : {464.0, -464.0}) EXPECT_EQ(std::abs(rounded_in<double>(called("e4m3fn", false), x)), 448);
  EXPECT_TRUE(std::isnan(rounded_in<double>(called("e4m3fn", false), 464.5)));
  EXPECT_TRUE(std::isnan(rounded_in<double>(called("e4m3fn", false), -inf)));
  EXPECT_EQ(rounded_in<double>(called("e5m2", false), 61439.0), 57344);
  EXPECT_EQ(rounded_in<double>(called("e5m2", false), 61440.0), inf);
  EXPECT_EQ(rounded_in<double>(called("e5m2", false), -1e30), -inf);
  for (const SmallFormat& f : small_formats) {
    EXPECT_EQ(rounded_in<double>(Cast{&f}, inf), f.largest()) << f.name;
    EXPECT_EQ(rounded_in<double>(Cast{&f}, -1e300), f.at(f.lowest())) << f.name;
    EXPECT_TRUE(std::isnan(rounded_in<double>(Cast{&f}, nan))) << f.name;
  }
}

TEST(SmallFormat, AnIntervalBecomesAllThatItMayBe) {
  const Cast cast = cast_called("int8", "nearest-even", true), either = cast_called("int8", "stochastic", true);
  const auto ends = [](const Cast& one, double a, double b) {
    return std::pair(rounded_ends(one, a, b).lower, rounded_ends(one, a, b).upper);
  };
  EXPECT_EQ(ends(cast, 2.49, 2.51), std::pair(2.0, 3.0));
  EXPECT_EQ(ends(cast, 2.51, 2.52), std::pair(3.0, 3.0));
  EXPECT_EQ(ends(either, 2.1, 2.1), std::pair(2.0, 3.0));
  EXPECT_EQ(ends(either, 2.0, 2.0), std::pair(2.0, 2.0));
  EXPECT_EQ(ends(either, 126.5, 300), std::pair(126.0, 127.0));
}

TEST(SmallFormat, RefusesNamesThatItDoesNotKnow) {
  EXPECT_THROW(cast_called("e9m9", "nearest-even", true), std::invalid_argument);
  EXPECT_THROW(cast_called("int8", "sideways", true), std::invalid_argument);
  EXPECT_THROW(cast_called("int8", "nearest-even", true, "steep"), std::invalid_argument);
}

}  // namespace
}  // namespace assay::reference
