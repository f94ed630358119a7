// exp and ln for Scaled numbers (scaled.h). metal/kernels/exponential.h states their accuracy.
#pragma once

#include "../exponential.h"
#include "scaled.h"

namespace assay {
namespace ctc {

/// exp(high + low). For |high| above 2^20 k is inexact, and the result is a power of two near it; above 2^28 it is that
/// of 2^28.
inline Scaled exponential(Pair x) {
  const float high = clamp(x.high, -0x1p28f, 0x1p28f);
  const Reduced parts = reduced({high, x.low});
  const bool is_exact = fabs(high) <= 0x1p20f;
  return normalized(is_exact ? exponential_polynomial(parts.r) : 1.0f, int(parts.k));
}

/// exp(a - shift), without the error of rounding a - shift, which grows with |a - shift|.
inline Scaled exponential(float a, float shift) {
  if (a == -INFINITY) return zero();
  return exponential(two_sum(a, -shift));
}

/// A number below which exp(a - shift) is 0: 256 below the shift, or some units in its last place where they are more.
inline float lowest_beside(float shift) {
  return max(shift - max(256.0f, 0x1p-22f * fabs(shift)), -FLT_MAX);
}

/// exp(a - shift) as a float for a <= shift, in fewer steps; 0 below 2^-150. The sum with 1.5 * 2^23 is rounded to a
/// whole number k, which its low bits hold: shifted, they are the exponent of 2^k. The result is computed in units of
/// 2^-64, so that all numbers before the last product are normal and a subnormal result is rounded once.
inline float exponential_below(float a, float shift) {
  const float rounder = 0x1.8p23f;
  const Pair difference = two_sum(max(a, lowest_beside(shift)), -shift),
             x = {max(difference.high, -104.0f), difference.low};
  const float sum = fma(x.high, 0x1.715476p0f, rounder);
  const float power = as_type<float>((as_type<uint>(sum) << 23) + (uint(64 + 127) << 23));
  return exponential_polynomial(rest_of(x, sum - rounder)) * power * 0x1p-64f;
}

inline Pair logarithm(Scaled x) {
  return logarithm_of_parts(x.mantissa, x.exponent);
}

}  // namespace ctc
}  // namespace assay
