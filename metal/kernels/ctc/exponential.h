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

/// exp(a - shift) as a float for a <= shift, in fewer steps; 0 below 2^-150. The sum with 1.5 * 2^23 is rounded to a
/// whole number, which its bits hold. The power of two is a product of two normal numbers, so that a subnormal result
/// is rounded once.
inline float exponential_below(float a, float shift) {
  const float rounder = 0x1.8p23f;
  const Pair difference = two_sum(max(a, shift - 256.0f), -shift), x = {max(difference.high, -104.0f), difference.low};
  const float sum = fma(x.high, 0x1.715476p0f, rounder), k = sum - rounder;
  const int whole = as_type<int>(sum) - as_type<int>(rounder), half_of_whole = whole >> 1;
  return exponential_polynomial(rest_of(x, k)) * power_of_two_in_range(half_of_whole) *
         power_of_two_in_range(whole - half_of_whole);
}

inline Pair logarithm(Scaled x) {
  return logarithm_of_parts(x.mantissa, x.exponent);
}

}  // namespace ctc
}  // namespace assay
