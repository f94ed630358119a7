// Computations on the bits of numbers. A GPU's arithmetic may replace subnormal floats by zero, but a matrix may
// consist of them.
#pragma once

#include "interface.h"

namespace assay {
namespace svd {

template <class D>
struct Format;
template <>
struct Format<float> {
  using Bits = uint;
  enum { mantissa_bits = 23, bias = 127 };
};
template <>
struct Format<half> {
  using Bits = ushort;
  enum { mantissa_bits = 10, bias = 15 };
};
#if __METAL_VERSION__ >= 310
template <>
struct Format<bfloat> {
  using Bits = ushort;
  enum { mantissa_bits = 7, bias = 127 };
};
#endif

/// The bits of |x|, which have the order of the numbers.
template <class D>
uint magnitude_bits(D x) {
  constexpr uint sign = 1u << (8 * sizeof(D) - 1);
  return uint(as_type<typename Format<D>::Bits>(x)) & (sign - 1);
}

template <class D>
bool is_negative(D x) {
  return (uint(as_type<typename Format<D>::Bits>(x)) >> (8 * sizeof(D) - 1)) != 0;
}

/// mantissa * 2^(exponent - 23), mantissa in [2^23, 2^24), or 0.
struct Magnitude {
  uint mantissa;
  int exponent;
};

/// The number with these bits, exactly.
template <class D>
Magnitude magnitude_of(uint bits) {
  constexpr int mantissa_bits = Format<D>::mantissa_bits, bias = Format<D>::bias;
  const uint fraction = bits & ((1u << mantissa_bits) - 1);
  const int field = int(bits >> mantissa_bits);
  if (field != 0) return {(fraction | 1u << mantissa_bits) << (23 - mantissa_bits), field - bias};
  if (fraction == 0) return {0, 0};
  const int highest = 31 - int(clz(fraction));
  return {fraction << (23 - highest), highest + 1 - bias - mantissa_bits};
}

/// The bits of the nearest float, ties to even, which may be infinite or subnormal.
inline uint float_bits(Magnitude x) {
  if (x.mantissa == 0) return 0;
  if (x.exponent > 127) return 0x7f800000u;
  if (x.exponent >= -126) return (uint(x.exponent + 127) << 23) | (x.mantissa & 0x7fffffu);
  const int lost = -126 - x.exponent;
  if (lost > 24) return 0;
  return (x.mantissa + (1u << (lost - 1)) - 1 + ((x.mantissa >> lost) & 1)) >> lost;
}

/// x * 2^power for an element of a matrix: exact, or 0 if it would be subnormal. An infinity becomes NaN.
template <class D>
float scaled(D x, int power) {
  Magnitude size = magnitude_of<D>(magnitude_bits(x));
  if (size.exponent > Format<D>::bias) return NAN;
  size.exponent += power;
  const float result = size.exponent < -126 ? 0.0f : as_type<float>(float_bits(size));
  return is_negative(x) ? -result : result;
}

/// The bits of x * 2^power, rounded once, for x that is not negative.
inline uint scaled_bits(float x, int power) {
  Magnitude size = magnitude_of<float>(magnitude_bits(x));
  size.exponent += power;
  return float_bits(size);
}

/// x as it is stored: rounded once, and never -0.
template <class D>
D stored(float x) {
  const D rounded = D(x);
  return rounded == D(0.0f) ? D(0.0f) : rounded;
}

}  // namespace svd
}  // namespace assay
