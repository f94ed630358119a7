// The 16-bit types that activations and gradients may be stored in: IEEE 754 binary16 and bfloat16.
//
//   value = (-1)^sign * 2^(exponent - bias) * 1.mantissa     sign 1 bit, then exponent_bits, then mantissa_bits
//
// Both are for storage: arithmetic is done on the float or double that they convert to. The conversion to float is
// exact; the conversion from double rounds once, to nearest, ties to even (IEEE 754-2019, section 4.3.1). Compilers
// turn loops over either conversion into SIMD.
#pragma once

#include <bit>
#include <cstdint>
#include <limits>

namespace assay::metal {

template <int exponent_bits, int mantissa_bits>
struct Float16 {
  static_assert(1 + exponent_bits + mantissa_bits == 16);
  static constexpr int bias = (1 << (exponent_bits - 1)) - 1;
  static constexpr std::uint16_t infinity_bits = ((1U << exponent_bits) - 1U) << mantissa_bits;
  static constexpr std::uint16_t nan_bits = infinity_bits | 1U << (mantissa_bits - 1);

  /// For the conversion to float: the power of two between the biases.
  static constexpr auto to_float_bias = std::bit_cast<float>(static_cast<std::uint32_t>(127 + 127 - bias) << 23U);
  /// For the conversion from double: the number of bits dropped, half of the last bit kept, and the difference of the
  /// biases.
  static constexpr int from_double_shift = 52 - mantissa_bits;
  static constexpr std::uint64_t half_step = std::uint64_t{1} << (from_double_shift - 1);
  static constexpr std::uint64_t from_double_bias = std::uint64_t{1023 - bias} << mantissa_bits;
  /// The smallest number that rounds to infinity, and the smallest normal one.
  static constexpr double overflow_threshold =
      (2.0 - 0x1p-1 / (1 << mantissa_bits)) * std::bit_cast<double>(std::uint64_t{1023 + bias} << 52U);
  static constexpr auto smallest_normal = std::bit_cast<double>(std::uint64_t{1024 - bias} << 52U);
  /// Adding this to a number below smallest_normal rounds it to a multiple of the smallest subnormal number; the lowest
  /// bits of the sum are then that multiple.
  static constexpr double to_multiple = 0x1.8p52 * (smallest_normal / static_cast<double>(1 << mantissa_bits));

  std::uint16_t bits = 0;

  Float16() = default;
  explicit constexpr Float16(double value) : bits(rounded_bits(value)) {}

  static constexpr Float16 from_bits(std::uint16_t bits) {
    Float16 value;
    value.bits = bits;
    return value;
  }

  /// Exact: the bits moved to where float32 has them.
  constexpr operator float() const {  // NOLINT(google-explicit-constructor): loses nothing
    constexpr int shift = 23 - mantissa_bits;
    const std::uint32_t magnitude = bits & 0x7fffU, sign = (bits & 0x8000U) << 16U;
    const auto finite = std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude << shift) * to_float_bias);
    const std::uint32_t special = magnitude << shift | 0x7f800000U;
    return std::bit_cast<float>((magnitude >= infinity_bits ? special : finite) | sign);
  }

 private:
  static constexpr std::uint16_t rounded_bits(double value) {
    const auto all = std::bit_cast<std::uint64_t>(value);
    const std::uint64_t sign = all >> 48U & 0x8000U, magnitude = all & ~(std::uint64_t{1} << 63U);
    const auto size = std::bit_cast<double>(magnitude);
    const std::uint64_t subnormal = std::bit_cast<std::uint64_t>(size + to_multiple) & 0xffffU;
    const std::uint64_t rounded =
        (magnitude + half_step - 1 + (magnitude >> from_double_shift & 1U)) >> from_double_shift;
    const std::uint64_t normal = size < overflow_threshold ? rounded - from_double_bias : infinity_bits;
    const std::uint64_t number = size < smallest_normal ? subnormal : normal;
    return static_cast<std::uint16_t>(sign | (magnitude > 0x7ff0000000000000U ? nan_bits : number));
  }
};

using Half = Float16<5, 10>;
using BFloat16 = Float16<8, 7>;

/// `value` as it is stored: rounded once, and never -0.
template <class Real>
constexpr Real rounded(double value) {
  const auto nearest = static_cast<Real>(value);
  return nearest == Real(0.0F) ? Real(0.0F) : nearest;
}

}  // namespace assay::metal

/// The members of std::numeric_limits that reference::validate reads.
template <int exponent_bits, int mantissa_bits>
struct std::numeric_limits<assay::metal::Float16<exponent_bits, mantissa_bits>> {
  using Type = assay::metal::Float16<exponent_bits, mantissa_bits>;
  static constexpr bool is_specialized = true;
  static constexpr bool has_infinity = true;
  static constexpr int digits = mantissa_bits + 1;
  static constexpr Type infinity() { return Type::from_bits(Type::infinity_bits); }
};
