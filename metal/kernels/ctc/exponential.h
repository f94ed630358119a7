// exp and ln of numbers whose range no product of probabilities leaves: metal/kernels/exponential.h says how exact.
#pragma once

#include "../exponential.h"
#include "scaled.h"

namespace assay {
namespace ctc {

/// exp(high + low). Past |high| = 2^20, where k is no longer sure, the power of two near it; past 2^28 that of 2^28.
inline Scaled exponential(Pair x) {
  const float high = clamp(x.high, -0x1p28f, 0x1p28f);
  const Reduced parts = reduced({high, x.low});
  const bool is_exact = fabs(high) <= 0x1p20f;
  return normalized(is_exact ? exponential_polynomial(parts.r) : 1.0f, int(parts.k));
}

/// exp(a - shift): the rounding of the difference itself would cost as many units as a - shift is large.
inline Scaled exponential(float a, float shift) {
  if (a == -INFINITY) return zero();
  return exponential(two_sum(a, -shift));
}

inline Pair logarithm(Scaled x) {
  return logarithm_of_parts(x.mantissa, x.exponent);
}

}  // namespace ctc
}  // namespace assay
