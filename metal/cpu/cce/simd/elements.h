// The loops declared in metal/cpu/cce/elements.h, sixteen entries at a time; sums are kept in eight doubles.
#pragma once

#include "metal/cpu/cce/elements.h"
#include "metal/cpu/simd/exponential32.h"
#include "metal/cpu/simd/float16.h"

namespace assay::metal::cpu::ASSAY_SIMD {

/// The sums over the entries so far.
struct WideSums {
  Lanes exponentials, logits;
  FloatLanes largest;
  FloatLanes size;  ///< NaN once a logit was not finite, else 0
};

template <bool capped>
ASSAY_INLINE FloatLanes sixteen_entries(FloatLanes z, FloatLanes bias, std::size_t count, const CceRow& row,
                                        WideSums& sums) {
  sums.size = fused(z, all(0.0F), sums.size);
  z = z + bias;
  FloatLanes slope;
  if constexpr (capped) {
    const Tanh tanh = tanh_with_slope(z / all(row.cap));
    z = tanh.value * all(row.cap);
    slope = tanh.slope;
  }
  const FloatLanes t = z - all(row.reference);
  const FloatLanes e = exponential(t);
  sums.largest = max(t, sums.largest);
  sums.exponentials = sums.exponentials + halves_added(count == float_lanes ? e : first_floats(e, count));
  if (row.with_logits) sums.logits = sums.logits + halves_added(count == float_lanes ? t : first_floats(t, count));
  const FloatLanes gradient = fused(e, all(row.scale), all(-row.shift));
  if constexpr (capped) return gradient * slope;
  return gradient;
}

template <bool capped>
ASSAY_INLINE CceSums row_of(float* logits, std::size_t n, const float* bias, const CceRow& row) {
  WideSums sums = {all(0.0), all(0.0), all(-__builtin_inff()), all(0.0F)};
  std::size_t v = 0;
  for (; v + float_lanes <= n; v += float_lanes) {
    const FloatLanes kept = sixteen_entries<capped>(load_wide(logits + v), load_wide(bias + v), float_lanes, row, sums);
    if (row.keep) store_wide(logits + v, kept);
  }
  if (v < n) {
    const FloatLanes kept =
        sixteen_entries<capped>(load_repeated(logits + v, n - v), load_repeated(bias + v, n - v), n - v, row, sums);
    if (row.keep) store_wide(logits + v, n - v, kept);
  }
  return {sum(sums.exponentials), sum(sums.logits), largest(sums.largest), sum(halves_added(sums.size)) == 0.0};
}

inline CceSums cce_row(float* logits, std::size_t n, const float* bias, const CceRow& row) {
  return row.cap == 0.0F ? row_of<false>(logits, n, bias, row) : row_of<true>(logits, n, bias, row);
}

inline void cce_scale(float* to, const float* from, std::size_t n, double scale, double shift) {
  std::size_t i = 0;
  for (; i + lanes <= n; i += lanes) store(to + i, load(from + i) * all(scale) - all(shift));
  for (; i < n; ++i) to[i] = static_cast<float>(static_cast<double>(from[i]) * scale - shift);
}

inline void cce_stream(void* to, const void* from, std::size_t bytes) {
  constexpr std::size_t line = float_lanes * sizeof(float);
  auto* target = static_cast<char*>(to);
  const auto* source = static_cast<const char*>(from);
  const std::size_t past = reinterpret_cast<std::uintptr_t>(to) % line;
  std::size_t i = 0;
  for (; i < bytes && past != 0 && i < line - past; ++i) target[i] = source[i];
  for (; i + line <= bytes; i += line) {
    FloatLanes x;
    __builtin_memcpy(&x, source + i, line);  // 16-bit elements need not be aligned as a float
    stream_floats(reinterpret_cast<float*>(target + i), x);
  }
  for (; i < bytes; ++i) target[i] = source[i];
#if ASSAY_SIMD_BYTES > 16
  __builtin_ia32_sfence();
#endif
}

inline void cce_add(double* sums, const float* x, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) sums[i] += static_cast<double>(x[i]);
}

template <class Real>
inline double cce_dot(const Real* a, const Real* b, std::size_t n) {
  Lanes total = all(0.0);
  std::size_t i = 0;
  for (; i + lanes <= n; i += lanes) total = total + load(a + i) * load(b + i);
  if (i < n) total = total + load_first(a + i, n - i, Real(0.0F)) * load_first(b + i, n - i, Real(0.0F));
  return sum(total);
}

template <class Real>
inline void cce_to_float(float* to, const Real* from, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) to[i] = static_cast<float>(from[i]);
}

/// Rounds to nearest, ties to even. NaN stays NaN: arithmetic gives quiet NaNs, from which the addition cannot carry.
ASSAY_INLINE void store_narrow(BFloat16* to, FloatLanes x, std::size_t count) {
  std::uint16_t values[float_lanes];
  for (std::size_t p = 0; p < wide_parts; ++p) {
    using Bits = std::uint32_t __attribute__((vector_size(ASSAY_SIMD_BYTES)));
    using Shorts16 __attribute__((vector_size(ASSAY_SIMD_BYTES / 2), aligned(2), may_alias)) = std::uint16_t;
    const Bits bits = reinterpret_cast<Bits>(x.part[p]);
    const Bits rounded = (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
    *reinterpret_cast<Shorts16*>(values + p * Wide<float>::of_part) = __builtin_convertvector(rounded, Shorts16);
  }
  __builtin_memcpy(to, values, count * sizeof(BFloat16));
}

ASSAY_INLINE FloatLanes load_wide(const Half* from) {
#if ASSAY_SIMD_BYTES == 64
  return {_mm512_maskz_cvtph_ps(0xffff, _mm256_loadu_si256(reinterpret_cast<const __m256i_u*>(from)))};
#else
  float values[float_lanes];
  for (std::size_t j = 0; j < float_lanes; j += lanes) store(values + j, load(from + j));
  return load_wide(values);
#endif
}

ASSAY_INLINE FloatLanes load_wide(const BFloat16* from) {
  FloatLanes x;
#if ASSAY_SIMD_BYTES == 64
  const __m256i bits = _mm256_loadu_si256(reinterpret_cast<const __m256i_u*>(from));
  x.part[0] = _mm512_castsi512_ps(_mm512_maskz_slli_epi32(0xffff, _mm512_maskz_cvtepu16_epi32(0xffff, bits), 16));
#else
  for (std::size_t p = 0; p < wide_parts; ++p) {
    using Bits = std::uint32_t __attribute__((vector_size(ASSAY_SIMD_BYTES)));
    using Shorts16 __attribute__((vector_size(ASSAY_SIMD_BYTES / 2), aligned(2), may_alias)) = std::uint16_t;
    const auto bits = *reinterpret_cast<const Shorts16*>(from + p * Wide<float>::of_part);
    x.part[p] = reinterpret_cast<WidePart<float> >(__builtin_convertvector(bits, Bits) << 16);
  }
#endif
  return x;
}

/// The first `count` elements; 0 in the other lanes.
template <int exponent_bits, int mantissa_bits>
ASSAY_INLINE FloatLanes load_wide(const Float16<exponent_bits, mantissa_bits>* from, std::size_t count) {
  if (count >= float_lanes) return load_wide(from);
  float values[float_lanes] = {};
  for (std::size_t j = 0; j < count; ++j) values[j] = static_cast<float>(from[j]);
  return load_wide(values);
}

inline void cce_narrow(BFloat16* to, const float* from, std::size_t n) {
  std::size_t i = 0;
  for (; i + float_lanes <= n; i += float_lanes) store_narrow(to + i, load_wide(from + i), float_lanes);
  if (i < n) store_narrow(to + i, load_repeated(from + i, n - i), n - i);
}

inline void cce_scale_narrow(BFloat16* to, const BFloat16* from, std::size_t n, float scale) {
  std::size_t i = 0;
  for (; i + float_lanes <= n; i += float_lanes) store_narrow(to + i, load_wide(from + i) * all(scale), float_lanes);
  if (i < n) store_narrow(to + i, load_wide(from + i, n - i) * all(scale), n - i);
}

/// Rounds sixteen floats as `store` of lanes.h rounds eight doubles: NaN to one NaN, and nothing to -0.
ASSAY_INLINE void store_rounded(BFloat16* to, FloatLanes x) {
  for (std::size_t p = 0; p < wide_parts; ++p) {
    using Bits = std::uint32_t __attribute__((vector_size(ASSAY_SIMD_BYTES)));
    using Shorts16 __attribute__((vector_size(ASSAY_SIMD_BYTES / 2), aligned(2), may_alias)) = std::uint16_t;
    const Bits bits = reinterpret_cast<Bits>(x.part[p]), sign = bits >> 16 & 0x8000;
    const Bits number = (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
    const Bits rounded = (bits & 0x7fffffffU) > 0x7f800000U ? sign | BFloat16::nan_bits : number;
    const Bits without_minus_zero = rounded == 0x8000U ? Bits{} : rounded;
    *reinterpret_cast<Shorts16*>(to + p * Wide<float>::of_part) = __builtin_convertvector(without_minus_zero, Shorts16);
  }
}

ASSAY_INLINE void store_rounded(Half* to, FloatLanes x) {
#if ASSAY_SIMD_BYTES == 64
  const __m256i minus_zero = _mm256_set1_epi16(static_cast<short>(0x8000));
  const __m256i number = _mm512_maskz_cvtps_ph(0xffff, x.part[0], _MM_FROUND_TO_NEAREST_INT);
  const __m256i nan = _mm256_or_si256(_mm256_and_si256(number, minus_zero), _mm256_set1_epi16(Half::nan_bits));
  const __mmask16 is_nan = _mm512_cmp_ps_mask(x.part[0], x.part[0], _CMP_UNORD_Q);
  const __m256i rounded = _mm256_mask_mov_epi16(number, is_nan, nan);
  const __mmask16 kept = _mm256_cmpneq_epi16_mask(rounded, minus_zero);
  _mm256_storeu_si256(reinterpret_cast<__m256i_u*>(to), _mm256_maskz_mov_epi16(kept, rounded));
#else
  float values[float_lanes];
  store_wide(values, x);
  for (std::size_t j = 0; j < float_lanes; j += lanes) store(to + j, load(values + j));
#endif
}

ASSAY_INLINE void store_rounded(float* to, FloatLanes x) {
  store_wide(to, x + all(0.0F));
}

template <class Real>
inline void cce_round(Real* to, const float* from, std::size_t n, double scale, double shift, const Real* other) {
  std::size_t i = 0;
  if (scale == 1.0 && shift == 0.0)
    for (; i + float_lanes <= n; i += float_lanes) store_rounded(to + i, load_wide(from + i));
  for (; i + lanes <= n; i += lanes) {
    const Lanes x = load(from + i) * all(scale);
    store(to + i, shift == 0.0 ? x : x + load(other + i) * all(shift));
  }
  if (i == n) return;
  const Lanes x = load_first(from + i, n - i, 0.0F) * all(scale);
  store_first(to + i, n - i, shift == 0.0 ? x : x + load_first(other + i, n - i, Real(0.0F)) * all(shift));
}

/// How many of `count` elements lie before the first that is aligned to sixteen elements.
template <class Real>
ASSAY_INLINE std::size_t elements_before_alignment(const Real* from, std::size_t count) {
  const std::size_t past = reinterpret_cast<std::uintptr_t>(from) / sizeof(Real) % float_lanes;
  const std::size_t before = past == 0 ? 0 : float_lanes - past;
  return before < count ? before : count;
}

/// Stores past the caches, where there is an instruction for it. `to` is aligned to sixteen elements.
template <class Real>
ASSAY_INLINE void stream_rounded(Real* to, FloatLanes x) {
#if ASSAY_SIMD_BYTES > 16
  __m256i values[sizeof(FloatLanes) / sizeof(__m256i) * sizeof(Real) / sizeof(float)];
  store_rounded(reinterpret_cast<Real*>(values), x);
  for (const __m256i& value : values) _mm256_stream_si256(reinterpret_cast<__m256i*>(to) + (&value - values), value);
#else
  store_rounded(to, x);
#endif
}

template <class Real>
ASSAY_INLINE void store_rounded(Real* to, FloatLanes x, std::size_t count) {
  if (count >= float_lanes) return store_rounded(to, x);
  Real values[float_lanes];
  store_rounded(values, x);
  __builtin_memcpy(to, values, count * sizeof(Real));
}

/// Calls step(h, count) for sixteen columns at a time from column h on, and for those that are left.
template <class Step>
ASSAY_INLINE void for_columns(std::size_t h, std::size_t H, const Step& step) {
  for (; h + float_lanes <= H; h += float_lanes) step(h, float_lanes);
  if (h < H) step(h, H - h);
}

template <class Real>
inline void cce_round_past_caches(Real* to, const float* from, std::size_t n) {
  const std::size_t lead = elements_before_alignment(to, n);
  store_rounded(to, load_wide(from, lead), lead);
  for_columns(lead, n, [&](std::size_t i, std::size_t count) __attribute__((always_inline)) {
    if (count == float_lanes) return stream_rounded(to + i, load_wide(from + i));
    store_rounded(to + i, load_wide(from + i, count), count);
  });
#if ASSAY_SIMD_BYTES > 16
  __builtin_ia32_sfence();
#endif
}

inline constexpr CceElements cce_table = {cce_row, cce_scale, cce_stream, cce_add, cce_narrow, cce_scale_narrow};

}  // namespace assay::metal::cpu::ASSAY_SIMD
