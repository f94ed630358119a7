// Non-negative numbers with the precision of float32 and a range that no product of probabilities leaves:
//
//   value = mantissa * 2^exponent,   mantissa in [1, 2), exponent in [-2^30, 2^30)
//   zero  = 0 * 2^-2^30
//
// With one scale for all states paths are lost by underflow, and logarithms lose three to six digits. A mantissa and an
// exponent for each state avoid both. A sum or a product is rounded once, as in float32; scaling by a power of two is
// exact. A term of a sum that is at most 2^-126 of the largest term is dropped. Exponents saturate.
#pragma once

#include "interface.h"

namespace assay {
namespace ctc {

enum ExponentRange { min_exponent = -(1 << 30), max_exponent = (1 << 30) - 1 };

inline Scaled zero() {
  return {0.0f, min_exponent};
}

inline Scaled one() {
  return {1.0f, 0};
}

inline bool is_zero(Scaled x) {
  return x.mantissa == 0.0f;
}

/// 2^k for k in [-126, 127].
inline float power_of_two_in_range(int k) {
  return as_type<float>((k + 127) * (1 << 23));
}

/// 2^k for k in [-126, 127]; 0 below.
inline float power_of_two(int k) {
  return power_of_two_in_range(max(k, -127));
}

/// mantissa * 2^exponent, for a mantissa that is zero or normal.
inline Scaled normalized(float mantissa, int exponent) {
  const int bits = as_type<int>(mantissa), k = (bits >> 23) - 127;
  const int sum = clamp(exponent + k, int(min_exponent), int(max_exponent));
  const bool is_zero = mantissa == 0.0f;
  return {is_zero ? 0.0f : as_type<float>((bits & 0x7fffff) | 0x3f800000), is_zero ? int(min_exponent) : sum};
}

/// x in units of 2^exponent, which may be up to 2^126 times smaller than x.
inline float aligned(Scaled x, int exponent) {
  return x.mantissa * power_of_two(x.exponent - exponent);
}

/// a + b, rounded once. The mantissa, below 4, is not normalized; `multiply` does that.
inline Scaled unnormalized_sum(Scaled a, Scaled b) {
  const int exponent = max(a.exponent, b.exponent);
  return {aligned(a, exponent) + aligned(b, exponent), exponent};
}

/// a + b + c with two roundings; the mantissa is below 6.
inline Scaled unnormalized_sum(Scaled a, Scaled b, Scaled c) {
  const int exponent = max(max(a.exponent, b.exponent), c.exponent);
  return {aligned(a, exponent) + aligned(b, exponent) + aligned(c, exponent), exponent};
}

inline Scaled add(Scaled a, Scaled b) {
  const Scaled sum = unnormalized_sum(a, b);
  return normalized(sum.mantissa, sum.exponent);
}

inline Scaled multiply(Scaled a, Scaled b) {
  return normalized(a.mantissa * b.mantissa, a.exponent + b.exponent);
}

/// The nearest float, or infinity. Of the two multiplications the first is exact, so a subnormal result is rounded
/// once.
inline float to_float(Scaled x) {
  const int near = clamp(x.exponent, -126, 127);
  const int rest = clamp(x.exponent - near, -126, 127);
  return x.mantissa * power_of_two(near) * power_of_two(rest);
}

}  // namespace ctc
}  // namespace assay
