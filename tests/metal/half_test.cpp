// The 16-bit types, every value of both: to float exactly, from double rounded once.
#include "metal/cpu/half.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>

namespace assay::metal {
namespace {

struct HalfFormat {
  using Type = Half;
  static constexpr int exponent_bits = 5, mantissa_bits = 10;
};
struct BFloat16Format {
  using Type = BFloat16;
  static constexpr int exponent_bits = 8, mantissa_bits = 7;
};

template <class Format>
class Float16Test : public testing::Test {
 protected:
  static constexpr int bias = (1 << (Format::exponent_bits - 1)) - 1;
  static constexpr std::uint16_t infinity_bits = ((1 << Format::exponent_bits) - 1) << Format::mantissa_bits;

  /// What the bits of a finite number mean, from the standard's definition.
  static double meaning(std::uint16_t bits) {
    const int fraction = bits & ((1 << Format::mantissa_bits) - 1), exponent = (bits & 0x7fff) >> Format::mantissa_bits;
    const int mantissa = exponent == 0 ? fraction : fraction + (1 << Format::mantissa_bits);
    const double size = std::ldexp(mantissa, (exponent == 0 ? 1 : exponent) - bias - Format::mantissa_bits);
    return (bits & 0x8000) != 0 ? -size : size;
  }
};

using Formats = testing::Types<HalfFormat, BFloat16Format>;
TYPED_TEST_SUITE(Float16Test, Formats);

TYPED_TEST(Float16Test, EveryNumberIsTheFloatItMeans) {
  using Number = typename TypeParam::Type;
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    const auto own = static_cast<std::uint16_t>(bits);
    const float value = Number::from_bits(own);
    EXPECT_EQ(std::signbit(value), (bits & 0x8000U) != 0);
    if ((bits & 0x7fffU) > this->infinity_bits) {
      EXPECT_TRUE(std::isnan(value)) << bits;
    } else if ((bits & 0x7fffU) == this->infinity_bits) {
      EXPECT_TRUE(std::isinf(value)) << bits;
    } else {
      EXPECT_EQ(static_cast<double>(value), this->meaning(own)) << bits;
    }
  }
}

TYPED_TEST(Float16Test, EveryNumberSurvivesTheWayThere) {
  using Number = typename TypeParam::Type;
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    const auto own = static_cast<std::uint16_t>(bits);
    const float value = Number::from_bits(own);
    if (std::isnan(value)) {
      EXPECT_TRUE(std::isnan(static_cast<float>(Number(value))));
    } else {
      EXPECT_EQ(Number(value).bits, own);
    }
  }
}

TYPED_TEST(Float16Test, RoundsToTheNearestAndTiesToEven) {
  using Number = typename TypeParam::Type;
  const double huge = std::numeric_limits<double>::max();
  for (std::uint16_t bits = 0; bits < this->infinity_bits; ++bits) {
    const double low = this->meaning(bits),
                 step = this->meaning(1) * std::ldexp(1.0, std::max(0, (bits >> TypeParam::mantissa_bits) - 1));
    const double tie = low + step / 2;  // exact: one bit more
    const auto above = static_cast<std::uint16_t>(bits + 1);
    EXPECT_EQ(Number(tie).bits, bits % 2 == 0 ? bits : above) << bits;
    EXPECT_EQ(Number(std::nextafter(tie, 0.0)).bits, bits);
    EXPECT_EQ(Number(std::nextafter(tie, huge)).bits, above);
    EXPECT_EQ(Number(-tie).bits, (bits % 2 == 0 ? bits : above) | 0x8000);
    EXPECT_EQ(Number(-std::nextafter(tie, huge)).bits, above | 0x8000);
  }
}

TYPED_TEST(Float16Test, ExtremesBecomeZeroAndInfinity) {
  using Number = typename TypeParam::Type;
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(Number(infinity).bits, this->infinity_bits);
  EXPECT_EQ(Number(-infinity).bits, this->infinity_bits | 0x8000);
  EXPECT_EQ(Number(std::numeric_limits<double>::max()).bits, this->infinity_bits);
  EXPECT_EQ(Number(std::numeric_limits<double>::denorm_min()).bits, 0);
  EXPECT_EQ(Number(-0.0).bits, 0x8000);
  EXPECT_TRUE(std::isnan(static_cast<float>(Number(std::numeric_limits<double>::quiet_NaN()))));
  EXPECT_EQ(rounded<Number>(-0.0).bits, 0);
  EXPECT_EQ(rounded<Number>(-1e-300).bits, 0);
  EXPECT_EQ(std::numeric_limits<Number>::infinity().bits, this->infinity_bits);
}

}  // namespace
}  // namespace assay::metal
