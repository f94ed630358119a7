// Loads and stores of Half and BFloat16: the conversions of half.h, eight numbers at a time.
#pragma once

#include "metal/cpu/half.h"
#include "metal/cpu/simd/lanes.h"

namespace assay::metal::cpu::ASSAY_SIMD {

using Shorts __attribute__((vector_size(lanes * 2), aligned(2), may_alias)) = std::uint16_t;
using Words = std::uint32_t __attribute__((vector_size(lanes * 4)));
using Floats = float __attribute__((vector_size(lanes * 4)));
using FloatsInMemory __attribute__((vector_size(lanes * 4), aligned(4), may_alias)) = float;
using PartShorts __attribute__((vector_size(Wide<double>::of_part * 2), aligned(2), may_alias)) = std::uint16_t;

template <int exponent_bits, int mantissa_bits>
ASSAY_INLINE Lanes load(const Float16<exponent_bits, mantissa_bits>* from) {
  using Format = Float16<exponent_bits, mantissa_bits>;
#if ASSAY_SIMD_BYTES == 64
  if constexpr (exponent_bits == 5 && mantissa_bits == 10)
    return {to_doubles(_mm256_maskz_cvtph_ps(0xff, _mm_loadu_si128(reinterpret_cast<const __m128i*>(from))))};
#endif
  Words value = __builtin_convertvector(*reinterpret_cast<const Shorts*>(from), Words);
  if constexpr (exponent_bits == 8) {  // as many as a float has
    value <<= 23 - mantissa_bits;
  } else {
    const Words magnitude = (value & 0x7fffU) << (23 - mantissa_bits), sign = (value & 0x8000U) << 16U;
    const Words finite = reinterpret_cast<Words>(reinterpret_cast<Floats>(magnitude) * Format::to_float_bias);
    constexpr std::uint32_t infinity = std::uint32_t{Format::infinity_bits} << (23 - mantissa_bits);
    value = (magnitude >= infinity ? magnitude | 0x7f800000U : finite) | sign;
  }
#if ASSAY_SIMD_BYTES == 64
  return {to_doubles(reinterpret_cast<Floats>(value))};
#else
  float values[lanes];
  *reinterpret_cast<FloatsInMemory*>(values) = reinterpret_cast<Floats>(value);
  return load(values);
#endif
}

#if ASSAY_SIMD_BYTES == 64
/// Numbers that are not NaN, rounded as by `store`: to float32 toward zero, with the last bit set where that is not
/// exact, and then once more. The bit keeps the second rounding from seeing a tie that is none (Boldo and Melquiond,
/// Emulation of FMA and correctly rounded sums: proved algorithms using rounding to odd, IEEE Transactions on Computers
/// 57, 2008).
template <int exponent_bits>
ASSAY_INLINE void store_numbers(void* to, Lanes x) {
  const __m256 toward_zero = _mm512_maskz_cvt_roundpd_ps(0xff, x.part[0], _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC);
  const __mmask8 inexact = _mm512_cmp_pd_mask(to_doubles(toward_zero), x.part[0], _CMP_NEQ_OQ);
  const __m256i floats = _mm256_castps_si256(toward_zero);
  const __m256i odd = _mm256_mask_or_epi32(floats, inexact, floats, _mm256_set1_epi32(1));
  __m128i shorts;
  if constexpr (exponent_bits == 5) {
    shorts = _mm256_maskz_cvtps_ph(0xff, _mm256_castsi256_ps(odd), _MM_FROUND_TO_NEAREST_INT);
  } else {
    const __m256i last = _mm256_and_si256(_mm256_srli_epi32(odd, 16), _mm256_set1_epi32(1));
    const __m256i rounded = _mm256_add_epi32(odd, _mm256_add_epi32(last, _mm256_set1_epi32(0x7fff)));
    shorts = _mm256_maskz_cvtepi32_epi16(0xff, _mm256_srli_epi32(rounded, 16));
  }
  const __mmask8 nonzero = _mm_test_epi16_mask(shorts, _mm_set1_epi16(0x7fff));
  _mm_storeu_si128(static_cast<__m128i*>(to), _mm_maskz_mov_epi16(nonzero, shorts));
}
#endif

/// Rounds once, to nearest, ties to even, and never to -0.
template <int exponent_bits, int mantissa_bits>
ASSAY_INLINE void store(Float16<exponent_bits, mantissa_bits>* to, Lanes x) {
  using Format = Float16<exponent_bits, mantissa_bits>;
#if ASSAY_SIMD_BYTES == 64
  if (_mm512_cmp_pd_mask(x.part[0], x.part[0], _CMP_UNORD_Q) == 0) return store_numbers<exponent_bits>(to, x);
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
