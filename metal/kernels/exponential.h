// exp and ln for all kernels, each within 2 units of 2^-24.
//
//   exp   x = k ln 2 + r, |r| <= 0.35: exp(x) = 2^k exp(r). ln 2 in three parts (Cody and Waite), the first of 15 bits,
//         so that x - k ln2_1 is exact; exp(r) by its Taylor polynomial of degree 7, truncated at 5e-9
//   ln    m 2^k with m in [sqrt(1/2), sqrt 2]: k ln 2 + 2 artanh(s), s = (m - 1) / (m + 1), truncated at s^11
//
// The polynomials are the kernels' own, because the library's functions give different bits on different devices.
#pragma once

#include "pair.h"

namespace assay {

/// x = k ln 2 + r; k is a whole number.
struct Reduced {
  float k, r;
};

/// x - k ln 2.
inline float rest_of(Pair x, float k) {
  float r = fma(-k, 0x1.62e4p-1f, x.high);
  r = fma(-k, 0x1.7f7d1cp-20f, r);
  return fma(-k, 0x1.ef357ap-45f, r) + x.low;
}

/// The reduction of high + low, for |high| up to 2^20.
inline Reduced reduced(Pair x) {
  const float k = rint(x.high * 0x1.715476p0f);
  return {k, rest_of(x, k)};
}

// What the polynomials compute, for a gate that follows the kernels in exact algebra.
#pragma assay exponential_less_one_polynomial is expm1
#pragma assay exponential_polynomial is exp
#pragma assay logarithm_near_one is log

/// exp(r) - 1 for |r| <= 0.35.
inline float exponential_less_one_polynomial(float r) {
  float q = 0x1.6a21acp-10f;
  q = fma(q, r, 0x1.123b6ap-7f);
  q = fma(q, r, 0x1.5558fap-5f);
  q = fma(q, r, 0x1.555490p-3f);
  q = fma(q, r, 0x1.fffffcp-2f);
  return fma(q, r * r, r);
}

inline float exponential_polynomial(float r) {
  return 1.0f + exponential_less_one_polynomial(r);
}

/// ln m for m in [sqrt(1/2), sqrt 2].
inline Pair logarithm_near_one(float m) {
  const float s = (m - 1.0f) / (m + 1.0f), t = s * s;
  float q = 2.0f / 9.0f;
  q = fma(q, t, 2.0f / 7.0f);
  q = fma(q, t, 2.0f / 5.0f);
  q = fma(q, t, 2.0f / 3.0f);
  return two_sum(2.0f * s, s * t * q);
}

/// ln(mantissa 2^exponent) for a mantissa in [1, 2).
inline Pair logarithm_of_parts(float mantissa, int exponent) {
  const bool is_above = mantissa > 0x1.6a09e6p0f;
  const float m = is_above ? 0.5f * mantissa : mantissa;
  const int k_whole = is_above ? exponent + 1 : exponent;
  const Pair fraction = logarithm_near_one(m);
  const float k = float(k_whole), rest = float(k_whole - int(k));
  const Pair whole = add(two_product(k, 0x1.62e43p-1f), {rest * 0x1.62e43p-1f, -k * 0x1.05c61p-29f});
  return add(whole, fraction);
}

}  // namespace assay
