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

/// Rounds once, to nearest, ties to even, and never to -0.
template <int exponent_bits, int mantissa_bits>
ASSAY_INLINE void store(Float16<exponent_bits, mantissa_bits>* to, Lanes x) {
  using Format = Float16<exponent_bits, mantissa_bits>;
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
