// Loads and stores of Half and BFloat16: the conversions of half.h, eight numbers at a time.
#pragma once

#include "metal/cpu/half.h"
#include "metal/cpu/simd/lanes.h"
#include "metal/cpu/simd/masks.h"

namespace assay::metal::cpu::ASSAY_SIMD {

using Shorts __attribute__((vector_size(lanes * 2), aligned(2), may_alias)) = std::uint16_t;
using Words = std::uint32_t __attribute__((vector_size(lanes * 4)));
using Floats = float __attribute__((vector_size(lanes * 4)));
using FloatsInMemory __attribute__((vector_size(lanes * 4), aligned(4), may_alias)) = float;
using PartShorts __attribute__((vector_size(Wide<double>::of_part * 2), aligned(2), may_alias)) = std::uint16_t;

template <int exponent_bits, int mantissa_bits>
ASSAY_INLINE Lanes load(const Float16<exponent_bits, mantissa_bits>* from) {
#if ASSAY_SIMD_BYTES == 64
  const __m128i shorts = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from));
  if constexpr (exponent_bits == 5) return {to_doubles(_mm256_maskz_cvtph_ps(0xff, shorts))};
  const __m256i bytes = _mm256_setr_epi32(0x01008080, 0x03028080, 0x05048080, 0x07068080,  // 0x80: a byte of 0
                                          0x09088080, 0x0b0a8080, 0x0d0c8080, 0x0f0e8080);
  return {to_doubles(_mm256_castsi256_ps(_mm256_shuffle_epi8(_mm256_broadcastsi128_si256(shorts), bytes)))};
#else
  Words value = __builtin_convertvector(*reinterpret_cast<const Shorts*>(from), Words);
  if constexpr (exponent_bits == 8) {  // as many as a float has
    value <<= 23 - mantissa_bits;
  } else {
    using Format = Float16<exponent_bits, mantissa_bits>;
    const Words magnitude = (value & 0x7fffU) << (23 - mantissa_bits), sign = (value & 0x8000U) << 16U;
    const Words finite = reinterpret_cast<Words>(reinterpret_cast<Floats>(magnitude) * Format::to_float_bias);
    constexpr std::uint32_t infinity = std::uint32_t{Format::infinity_bits} << (23 - mantissa_bits);
    value = (magnitude >= infinity ? magnitude | 0x7f800000U : finite) | sign;
  }
  float values[lanes];
  *reinterpret_cast<FloatsInMemory*>(values) = reinterpret_cast<Floats>(value);
  return load(values);
#endif
}

#if ASSAY_SIMD_BYTES == 64
/// Numbers below 2^900 in size, rounded as by `store`: to the digits of the type, by adding a number whose last place
/// is that of the result, and taking it away again. The conversions that follow are exact, or overflow.
template <int exponent_bits, int mantissa_bits>
ASSAY_INLINE void store_numbers(void* to, Lanes x, Lanes powers_below) {
  using Format = Float16<exponent_bits, mantissa_bits>;
  const Lanes large = max(powers_below, all(Format::smallest_normal)) * all(0x1.8p52 / (1 << mantissa_bits));
  const Lanes rounded = (x + large) - large;  // +0 where it is zero
  const __m256 floats = __builtin_convertvector(rounded.part[0], FloatPart);
  __m128i shorts;
  if constexpr (exponent_bits == 5) {
    shorts = _mm256_maskz_cvtps_ph(0xff, floats, _MM_FROUND_TO_NEAREST_INT);
  } else {
    const __m256i upper_halves = _mm256_setr_epi16(1, 3, 5, 7, 9, 11, 13, 15, 1, 3, 5, 7, 9, 11, 13, 15);
    shorts = _mm256_castsi256_si128(_mm256_permutexvar_epi16(upper_halves, _mm256_castps_si256(floats)));
  }
  _mm_storeu_si128(static_cast<__m128i*>(to), shorts);
}
#endif

/// Rounds once, to nearest, ties to even, and never to -0.
template <int exponent_bits, int mantissa_bits>
ASSAY_INLINE void store(Float16<exponent_bits, mantissa_bits>* to, Lanes x) {
  using Format = Float16<exponent_bits, mantissa_bits>;
#if ASSAY_SIMD_BYTES == 64
  const Lanes powers_below = power_of_two_below(x);
  if (!any(greater(powers_below, all(0x1p900))))
    return store_numbers<exponent_bits, mantissa_bits>(to, x, powers_below);
#endif
  constexpr int shift = Format::from_double_shift;
  constexpr std::uint64_t infinity = Format::infinity_bits;
  for (std::size_t p = 0; p < wide_parts; ++p) {
    const PartBits bits_of_x = reinterpret_cast<PartBits>(x.part[p]);
    const PartBits sign = bits_of_x >> 48 & 0x8000, magnitude = bits_of_x & ~(std::uint64_t{1} << 63);
    const Part size = reinterpret_cast<Part>(magnitude);
    const PartBits subnormal = reinterpret_cast<PartBits>(size + Format::to_multiple) & 0xffff;
    const PartBits rounded = (magnitude + (Format::half_step - 1) + (magnitude >> shift & 1)) >> shift;
    const PartBits normal =
        size < Format::overflow_threshold ? rounded - Format::from_double_bias : PartBits{} + infinity;
    const PartBits number = size < Format::smallest_normal ? subnormal : normal;
    const PartBits bits = size <= __builtin_inf() ? number : PartBits{} + Format::nan_bits;
    const PartBits signed_bits = bits == 0 ? bits : bits | sign;
    *reinterpret_cast<PartShorts*>(to + p * Wide<double>::of_part) = __builtin_convertvector(signed_bits, PartShorts);
  }
}

/// The first `count` < 8 elements; `rest` in the other lanes.
template <class Real>
ASSAY_INLINE Lanes load_first(const Real* from, std::size_t count, Real rest) {
  Real values[lanes];
  for (std::size_t j = 0; j < lanes; ++j) values[j] = rest;
  for (std::size_t j = 0; j < count; ++j) values[j] = from[j];
  return load(values);
}

template <class Real>
ASSAY_INLINE void store_first(Real* to, std::size_t count, Lanes x) {
  Real values[lanes];
  store(values, x);
  for (std::size_t j = 0; j < count; ++j) to[j] = values[j];
}

}  // namespace assay::metal::cpu::ASSAY_SIMD
