// Sixteen floats side by side, whatever the width of a register, as lanes.h has eight doubles: the same elements, sums
// and order for every width. All functions but multiply_add give the same bits for every width.
#pragma once

#include "metal/cpu/simd/float16.h"
#include "metal/cpu/simd/lanes.h"

namespace assay::metal::cpu::ASSAY_SIMD {

inline constexpr std::size_t float_lanes = 16;
inline constexpr std::size_t float_parts = float_lanes * sizeof(float) / ASSAY_SIMD_BYTES;

using WideFloat = float __attribute__((vector_size(ASSAY_SIMD_BYTES)));
using WideFloatBits = std::int32_t __attribute__((vector_size(ASSAY_SIMD_BYTES)));
using WideFloatInMemory = float __attribute__((vector_size(ASSAY_SIMD_BYTES), aligned(4), may_alias));
inline constexpr std::size_t floats_of_part = ASSAY_SIMD_BYTES / sizeof(float);

struct FloatLanes {
  WideFloat part[float_parts];
};

ASSAY_INLINE FloatLanes all_floats(float x) {
  FloatLanes y;
  for (WideFloat& part : y.part) part = x - WideFloat{};
  return y;
}

ASSAY_INLINE FloatLanes operator+(FloatLanes a, FloatLanes b) {
  for (std::size_t p = 0; p < float_parts; ++p) a.part[p] += b.part[p];
  return a;
}

ASSAY_INLINE FloatLanes operator-(FloatLanes a, FloatLanes b) {
  for (std::size_t p = 0; p < float_parts; ++p) a.part[p] -= b.part[p];
  return a;
}

ASSAY_INLINE FloatLanes operator*(FloatLanes a, FloatLanes b) {
  for (std::size_t p = 0; p < float_parts; ++p) a.part[p] *= b.part[p];
  return a;
}

/// a * b + c, rounded once where the instruction set has a fused multiply-add.
ASSAY_INLINE FloatLanes multiply_add(FloatLanes a, FloatLanes b, FloatLanes c) {
#if ASSAY_SIMD_BYTES == 64
  a.part[0] = _mm512_fmadd_ps(a.part[0], b.part[0], c.part[0]);
  return a;
#else
  return a * b + c;
#endif
}

ASSAY_INLINE FloatLanes operator/(FloatLanes a, FloatLanes b) {
  for (std::size_t p = 0; p < float_parts; ++p) a.part[p] /= b.part[p];
  return a;
}

/// The larger one; b where a is NaN.
ASSAY_INLINE FloatLanes max(FloatLanes a, FloatLanes b) {
#if ASSAY_SIMD_BYTES == 64  // as the other branch, for which GCC 12 needs two instructions
  a.part[0] = _mm512_maskz_max_ps(0xffff, a.part[0], b.part[0]);
  return a;
#endif
  for (std::size_t p = 0; p < float_parts; ++p) a.part[p] = a.part[p] > b.part[p] ? a.part[p] : b.part[p];
  return a;
}

ASSAY_INLINE FloatLanes min(FloatLanes a, FloatLanes b) {
#if ASSAY_SIMD_BYTES == 64
  a.part[0] = _mm512_maskz_min_ps(0xffff, a.part[0], b.part[0]);
  return a;
#endif
  for (std::size_t p = 0; p < float_parts; ++p) a.part[p] = a.part[p] < b.part[p] ? a.part[p] : b.part[p];
  return a;
}

/// `then` where x < limit; `otherwise` elsewhere, also where x is NaN.
ASSAY_INLINE FloatLanes where_less(FloatLanes x, float limit, FloatLanes then, FloatLanes otherwise) {
  for (std::size_t p = 0; p < float_parts; ++p) x.part[p] = x.part[p] < limit ? then.part[p] : otherwise.part[p];
  return x;
}

ASSAY_INLINE FloatLanes absolute(FloatLanes x) {
  for (WideFloat& part : x.part) part = reinterpret_cast<WideFloat>(reinterpret_cast<WideFloatBits>(part) & 0x7fffffff);
  return x;
}

/// |x| with the sign of `sign`.
ASSAY_INLINE FloatLanes with_sign_of(FloatLanes x, FloatLanes sign) {
  for (std::size_t p = 0; p < float_parts; ++p)
    x.part[p] = reinterpret_cast<WideFloat>((reinterpret_cast<WideFloatBits>(x.part[p]) & 0x7fffffff) |
                                            (reinterpret_cast<WideFloatBits>(sign.part[p]) & ~0x7fffffff));
  return x;
}

ASSAY_INLINE FloatLanes load_floats(const float* from) {
  FloatLanes x;
  for (std::size_t p = 0; p < float_parts; ++p)
    x.part[p] = *reinterpret_cast<const WideFloatInMemory*>(from + p * floats_of_part);
  return x;
}

/// The first `count` <= 16 elements; the first element again in the other lanes.
ASSAY_INLINE FloatLanes load_floats(const float* from, std::size_t count) {
  float values[float_lanes];
  for (std::size_t j = 0; j < float_lanes; ++j) values[j] = from[j < count ? j : 0];
  return load_floats(values);
}

ASSAY_INLINE void store_floats(float* to, FloatLanes x) {
  for (std::size_t p = 0; p < float_parts; ++p)
    *reinterpret_cast<WideFloatInMemory*>(to + p * floats_of_part) = x.part[p];
}

/// Stores past the caches where there is an instruction for it. `to` is aligned to 64 bytes.
ASSAY_INLINE void stream_floats(float* to, FloatLanes x) {
#if ASSAY_SIMD_BYTES == 64
  _mm512_stream_ps(to, x.part[0]);
#elif ASSAY_SIMD_BYTES == 32
  for (std::size_t p = 0; p < float_parts; ++p) _mm256_stream_ps(to + p * floats_of_part, x.part[p]);
#else
  store_floats(to, x);
#endif
}

ASSAY_INLINE void store_floats(float* to, std::size_t count, FloatLanes x) {
  float values[float_lanes];
  store_floats(values, x);
  for (std::size_t j = 0; j < count; ++j) to[j] = values[j];
}

/// The lanes below `count`; 0 in the others.
ASSAY_INLINE FloatLanes first_floats(FloatLanes x, std::size_t count) {
  float values[float_lanes];
  store_floats(values, x);
  for (std::size_t j = count; j < float_lanes; ++j) values[j] = 0.0F;
  return load_floats(values);
}

/// Eight doubles: double j is lane j plus lane j + 8.
ASSAY_INLINE Lanes halves_added(FloatLanes x) {
#if ASSAY_SIMD_BYTES == 64
  using EightFloats = float __attribute__((vector_size(32)));
  const EightFloats low = __builtin_shufflevector(x.part[0], x.part[0], 0, 1, 2, 3, 4, 5, 6, 7);
  const EightFloats high = __builtin_shufflevector(x.part[0], x.part[0], 8, 9, 10, 11, 12, 13, 14, 15);
  Lanes sum;
  sum.part[0] = to_doubles(low) + to_doubles(high);
  return sum;
#else
  float values[float_lanes];
  store_floats(values, x);
  return load(values) + load(values + lanes);
#endif
}

ASSAY_INLINE float largest(FloatLanes x) {
  float values[float_lanes];
  store_floats(values, x);
  float result = values[0];
  for (const float value : values) result = value > result ? value : result;
  return result;
}

}  // namespace assay::metal::cpu::ASSAY_SIMD
