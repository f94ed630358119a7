// exp and tanh of sixteen float32 numbers at once.
//
//   exp(t) = 2^k exp(r),  k = round(t / ln 2),  r = t - k ln 2 in two parts,  |r| <= 0.3466
//   tanh(y): an odd polynomial for |y| < 5/8, else (1 - q) / (1 + q) with q = exp(-2 |y|)
//   1 - tanh(y)^2 = 4 q / (1 + q)^2, without the cancellation
//
// The polynomials are those of Cephes (Moshier, 1989; expf and tanhf). Against double over their ranges: exp within
// 1.5 u, tanh within 4 u, 1 - tanh^2 within (10 + |y|) u, u = 2^-23; see tests/metal/cce/elements_test.cpp.
#pragma once

#include "metal/cpu/simd/floats.h"

namespace assay::metal::cpu::ASSAY_SIMD {

/// Below min_float_exponent the result is 0; above max_float_exponent it is exp(max_float_exponent). NaN gives 0.
inline constexpr float min_float_exponent = -87.0F;
inline constexpr float max_float_exponent = 88.0F;

ASSAY_INLINE FloatLanes exp_polynomial(FloatLanes r) {
  FloatLanes q = all(1.9875691500e-4F);
  for (const float coefficient :
       {1.3981999507e-3F, 8.3334519073e-3F, 4.1665795894e-2F, 1.6666665459e-1F, 5.0000001201e-1F})
    q = fused(q, r, all(coefficient));
  return fused(q, r * r, r) + all(1.0F);
}

ASSAY_INLINE FloatLanes exponential(FloatLanes t) {
  constexpr float to_whole = 0x1.8p23F;
  const FloatLanes bounded = max(min(t, all(max_float_exponent)), all(min_float_exponent));
  const FloatLanes shifted = fused(bounded, all(1.44269504088896341F), all(to_whole));
  const FloatLanes k = shifted - all(to_whole);
  const FloatLanes r = fused(k, all(2.12194440e-4F), fused(k, all(-0.693359375F), bounded));
  FloatLanes result = exp_polynomial(r);
  for (std::size_t p = 0; p < wide_parts; ++p) {
    const WideBits<float> power = reinterpret_cast<WideBits<float>>(shifted.part[p]) << 23;
    result.part[p] = reinterpret_cast<WidePart<float>>(reinterpret_cast<WideBits<float>>(result.part[p]) + power);
    result.part[p] = t.part[p] >= min_float_exponent ? result.part[p] : WidePart<float>{};
  }
  return result;
}

struct Tanh {
  FloatLanes value;
  FloatLanes slope;  ///< 1 - value^2
};

ASSAY_INLINE Tanh tanh_with_slope(FloatLanes y) {
  const FloatLanes one = all(1.0F), size = absolute(y);
  const FloatLanes q = exponential(size * all(-2.0F));
  const FloatLanes large = (one - q) / (one + q);
  const FloatLanes z = y * y;
  FloatLanes p = all(-5.70498872745e-3F);
  for (const float coefficient : {2.06390887954e-2F, -5.37397155531e-2F, 1.33314422036e-1F, -3.33332819422e-1F})
    p = fused(p, z, all(coefficient));
  const FloatLanes small = fused(p * z, y, y);
  const FloatLanes inverse = one / (one + q);
  return {where_less(size, 0.625F, small, with_sign_of(large, y)), all(4.0F) * q * inverse * inverse};
}

}  // namespace assay::metal::cpu::ASSAY_SIMD
