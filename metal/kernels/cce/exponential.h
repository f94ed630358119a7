// exp, exp - 1, ln and tanh for the arguments of cross-entropy. metal/kernels/exponential.h states their accuracy.
#pragma once

#include "../exponential.h"
#include "interface.h"

namespace assay {
namespace cce {

/// 2^k for k in [-126, 127].
inline float power_of_two(int k) {
  return as_type<float>((k + 127) * (1 << 23));
}

/// exp(high + low). 0 below -150, infinite above 150; within 2 units of 2^-24 if it is a normal number.
inline float exponential(Pair x) {
  const float high = x.high < -150.0f ? -150.0f : x.high > 150.0f ? 150.0f : x.high;
  const Reduced parts = reduced({high, x.low});
  const int k = int(parts.k), half_k = k / 2;
  return exponential_polynomial(parts.r) * power_of_two(half_k) * power_of_two(k - half_k);
}

/// exp(a - b), without the error of rounding a - b.
inline float exponential_of_difference(float a, float b) {
  return a == -INFINITY ? 0.0f : exponential(two_sum(a, -b));
}

/// exp(high + low) - 1, which is accurate near 0 too.
inline float exponential_less_one(Pair x) {
  if (fabs(x.high) > 0.34f) return exponential(x) - 1.0f;
  const float sum = x.high + x.low;
  return exponential_less_one_polynomial(sum);
}

/// ln(high + low) for a normal number, where high is its rounding to float.
inline Pair logarithm(Pair x) {
  const int bits = as_type<int>(x.high), k = (bits >> 23) - 127;
  const Pair of_high = logarithm_of_parts(as_type<float>(bits - k * (1 << 23)), k);
  return add(of_high, {x.low / x.high, 0.0f});
}

struct Hyperbolic {
  float tanh;
  float slope;  ///< 1 - tanh^2, computed without the cancellation near tanh = 1
};

#pragma assay hyperbolic_tangent_near_zero is tanh

/// tanh y for |y| < 0.35: the Taylor series up to y^11.
inline float hyperbolic_tangent_near_zero(float y) {
  const float square = y * y;
  float q = -1382.0f / 155925.0f;
  q = fma(q, square, 62.0f / 2835.0f);
  q = fma(q, square, -17.0f / 315.0f);
  q = fma(q, square, 2.0f / 15.0f);
  q = fma(q, square, -1.0f / 3.0f);
  return fma(q * square, y, y);
}

/// With e = exp(-2 |y|): (1 - e) / (1 + e) and 4 e / (1 + e)^2.
inline Hyperbolic hyperbolic(float y) {
  const float size = fabs(y), e = size < 75.0f ? exponential(Pair{-2.0f * size, 0.0f}) : 0.0f;
  const float slope = 4.0f * e / ((1.0f + e) * (1.0f + e));
  const float near = hyperbolic_tangent_near_zero(y), far = copysign((1.0f - e) / (1.0f + e), y);
  return {size < 0.35f ? near : isnan(y) ? y : far, slope};
}

}  // namespace cce
}  // namespace assay
