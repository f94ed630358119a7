// exp(x) to within 2 units of 2^-24, however small it is, and ln x likewise, of what is near 0 too.
//
//   exp   x = k ln 2 + r, |r| <= 0.35: exp(x) = 2^k exp(r). ln 2 in three parts (Cody and Waite), the first of 15 bits,
//         so that x - k ln2_1 is exact; exp(r) by its Taylor polynomial of degree 7, truncated at 5e-9
//   ln    m 2^k with m in [sqrt(1/2), sqrt 2]: k ln 2 + 2 artanh(s), s = (m - 1) / (m + 1), truncated at s^11
//
// Own polynomials, for the library's functions differ from device to device, and results are to be the same bits.
#pragma once

#include "ctc_pair.h"
#include "ctc_scaled.h"

namespace assay {
namespace ctc {

inline float exponential_polynomial(float r) {
  float q = 1.0f / 5040.0f;
  q = fma(q, r, 1.0f / 720.0f);
  q = fma(q, r, 1.0f / 120.0f);
  q = fma(q, r, 1.0f / 24.0f);
  q = fma(q, r, 1.0f / 6.0f);
  q = fma(q, r, 0.5f);
  return 1.0f + fma(q, r * r, r);
}

/// exp(high + low). Past |high| = 2^20, where k is no longer sure, the power of two near it; past 2^28 that of 2^28.
inline Scaled exponential(Pair x) {
  const float high = clamp(x.high, -0x1p28f, 0x1p28f);
  const float k = rint(high * 0x1.715476p0f);
  float r = fma(-k, 0x1.62e4p-1f, high);
  r = fma(-k, 0x1.7f7d1cp-20f, r);
  r = fma(-k, 0x1.ef357ap-45f, r) + x.low;
  const bool is_exact = fabs(high) <= 0x1p20f;
  return normalized(is_exact ? exponential_polynomial(r) : 1.0f, int(k));
}

/// exp(a - shift): the rounding of the difference itself would cost as many units as a - shift is large.
inline Scaled exponential(float a, float shift) {
  if (a == -INFINITY) return zero();
  return exponential(two_sum(a, -shift));
}

inline Pair logarithm(Scaled x) {
  const bool is_above = x.mantissa > 0x1.6a09e6p0f;
  const float m = is_above ? 0.5f * x.mantissa : x.mantissa;
  const int exponent = is_above ? x.exponent + 1 : x.exponent;
  const float s = (m - 1.0f) / (m + 1.0f), t = s * s;
  float q = 2.0f / 9.0f;
  q = fma(q, t, 2.0f / 7.0f);
  q = fma(q, t, 2.0f / 5.0f);
  q = fma(q, t, 2.0f / 3.0f);
  const Pair fraction = two_sum(2.0f * s, s * t * q);
  const float k = float(exponent), rest = float(exponent - int(k));
  const Pair whole = add(two_product(k, 0x1.62e43p-1f), {rest * 0x1.62e43p-1f, -k * 0x1.05c61p-29f});
  return add(whole, fraction);
}

}  // namespace ctc
}  // namespace assay
