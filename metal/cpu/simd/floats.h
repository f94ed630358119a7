// Sixteen floats side by side: wide.h for float, and sums of floats as doubles.
#pragma once

#include "metal/cpu/simd/float16.h"
#include "metal/cpu/simd/lanes.h"

namespace assay::metal::cpu::ASSAY_SIMD {

using FloatLanes = Wide<float>;
inline constexpr std::size_t float_lanes = width<float>;

/// `then` where x < limit; `otherwise` elsewhere, also where x is NaN.
ASSAY_INLINE FloatLanes where_less(FloatLanes x, float limit, FloatLanes then, FloatLanes otherwise) {
  for (std::size_t p = 0; p < wide_parts; ++p) x.part[p] = x.part[p] < limit ? then.part[p] : otherwise.part[p];
  return x;
}

/// |x| with the sign of `sign`.
ASSAY_INLINE FloatLanes with_sign_of(FloatLanes x, FloatLanes sign) {
  for (std::size_t p = 0; p < wide_parts; ++p)
    x.part[p] = reinterpret_cast<WidePart<float>>((reinterpret_cast<WideBits<float>>(x.part[p]) & 0x7fffffff) |
                                                  (reinterpret_cast<WideBits<float>>(sign.part[p]) & ~0x7fffffff));
  return x;
}

/// The first `count` <= 16 elements; the first element again in the other lanes.
ASSAY_INLINE FloatLanes load_repeated(const float* from, std::size_t count) {
  float values[float_lanes];
  for (std::size_t j = 0; j < float_lanes; ++j) values[j] = from[j < count ? j : 0];
  return load_wide(values);
}

/// Stores past the caches where there is an instruction for it. `to` is aligned to 64 bytes.
ASSAY_INLINE void stream_floats(float* to, FloatLanes x) {
#if ASSAY_SIMD_BYTES == 64
  _mm512_stream_ps(to, x.part[0]);
#elif ASSAY_SIMD_BYTES == 32
  for (std::size_t p = 0; p < wide_parts; ++p) _mm256_stream_ps(to + p * Wide<float>::of_part, x.part[p]);
#else
  store_wide(to, x);
#endif
}

/// The lanes below `count`; 0 in the others.
ASSAY_INLINE FloatLanes first_floats(FloatLanes x, std::size_t count) {
  float values[float_lanes];
  store_wide(values, x);
  for (std::size_t j = count; j < float_lanes; ++j) values[j] = 0.0F;
  return load_wide(values);
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
  store_wide(values, x);
  return load(values) + load(values + lanes);
#endif
}

ASSAY_INLINE float largest(FloatLanes x) {
  float values[float_lanes];
  store_wide(values, x);
  float result = values[0];
  for (const float value : values) result = value > result ? value : result;
  return result;
}

}  // namespace assay::metal::cpu::ASSAY_SIMD
