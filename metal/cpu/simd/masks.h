// Masks, signs and permutations of the lanes of wide.h, for code that is a template over float and double.
#pragma once

#include "metal/cpu/simd/wide.h"

namespace assay::metal::cpu::ASSAY_SIMD {

/// The lanes in which a condition holds.
#if ASSAY_SIMD_BYTES == 64
template <class T>
struct Mask {
  std::uint32_t bits;  ///< bit l: lane l
};
#else
template <class T>
struct Mask {
  WideBits<T> part[wide_parts];  ///< all bits of a lane are set, or none
};
#endif

/// c - a * b.
template <class T>
ASSAY_INLINE Wide<T> fused_negative(Wide<T> a, Wide<T> b, Wide<T> c) {
  return fused(-a, b, c);
}

/// x with its sign changed where that of `sign` is negative.
template <class T>
ASSAY_INLINE Wide<T> times_sign_of(Wide<T> x, Wide<T> sign) {
  for (std::size_t p = 0; p < wide_parts; ++p)
    x.part[p] = reinterpret_cast<WidePart<T>>(reinterpret_cast<WideBits<T>>(x.part[p]) ^
                                              (reinterpret_cast<WideBits<T>>(sign.part[p]) & ~WideTypes<T>::magnitude));
  return x;
}

/// The largest power of two that |x| is not below; 0 for zero and subnormal x, +inf for infinite x and NaN.
template <class T>
ASSAY_INLINE Wide<T> power_of_two_below(Wide<T> x) {
  for (auto& part : x.part)
    part = reinterpret_cast<WidePart<T>>(reinterpret_cast<WideBits<T>>(part) & WideTypes<T>::exponent);
  return x;
}

/// A power of two p with 1 <= p x < 2, for normal numbers x > 0; a large one for 0.
template <class T>
ASSAY_INLINE Wide<T> normalizer(Wide<T> x) {
  for (auto& part : x.part)
    part = reinterpret_cast<WidePart<T>>(WideTypes<T>::reciprocal_of_one -
                                         (reinterpret_cast<WideBits<T>>(part) & WideTypes<T>::exponent));
  return x;
}

template <class T>
ASSAY_INLINE Wide<T> square_root(Wide<T> x) {
  for (auto& part : x.part) {
#if ASSAY_SIMD_BYTES == 64
    if constexpr (sizeof(T) == 4) {
      part = _mm512_maskz_sqrt_ps(0xffff, part);
    } else {
      part = _mm512_maskz_sqrt_pd(0xff, part);
    }
#elif ASSAY_SIMD_BYTES == 32
    if constexpr (sizeof(T) == 4) {
      part = _mm256_sqrt_ps(part);
    } else {
      part = _mm256_sqrt_pd(part);
    }
#else
    for (std::size_t j = 0; j < Wide<T>::of_part; ++j)
      part[j] = sizeof(T) == 4 ? static_cast<T>(__builtin_sqrtf(static_cast<float>(part[j])))
                               : static_cast<T>(__builtin_sqrt(static_cast<double>(part[j])));
#endif
  }
  return x;
}

/// Where a > b; false where either is NaN.
template <class T>
ASSAY_INLINE Mask<T> greater(Wide<T> a, Wide<T> b) {
#if ASSAY_SIMD_BYTES == 64
  if constexpr (sizeof(T) == 4) return {_mm512_cmp_ps_mask(a.part[0], b.part[0], _CMP_GT_OQ)};
  if constexpr (sizeof(T) == 8) return {_mm512_cmp_pd_mask(a.part[0], b.part[0], _CMP_GT_OQ)};
#else
  Mask<T> mask;
  for (std::size_t p = 0; p < wide_parts; ++p) mask.part[p] = a.part[p] > b.part[p];
  return mask;
#endif
}

template <class T>
ASSAY_INLINE Mask<T> equal(Wide<T> a, Wide<T> b) {
#if ASSAY_SIMD_BYTES == 64
  if constexpr (sizeof(T) == 4) return {_mm512_cmp_ps_mask(a.part[0], b.part[0], _CMP_EQ_OQ)};
  if constexpr (sizeof(T) == 8) return {_mm512_cmp_pd_mask(a.part[0], b.part[0], _CMP_EQ_OQ)};
#else
  Mask<T> mask;
  for (std::size_t p = 0; p < wide_parts; ++p) mask.part[p] = a.part[p] == b.part[p];
  return mask;
#endif
}

/// Where a and b differ; true where either is NaN.
template <class T>
ASSAY_INLINE Mask<T> different(Wide<T> a, Wide<T> b) {
#if ASSAY_SIMD_BYTES == 64
  if constexpr (sizeof(T) == 4) return {_mm512_cmp_ps_mask(a.part[0], b.part[0], _CMP_NEQ_UQ)};
  if constexpr (sizeof(T) == 8) return {_mm512_cmp_pd_mask(a.part[0], b.part[0], _CMP_NEQ_UQ)};
#else
  Mask<T> mask;
  for (std::size_t p = 0; p < wide_parts; ++p) mask.part[p] = a.part[p] != b.part[p];
  return mask;
#endif
}

template <class T>
ASSAY_INLINE Mask<T> operator&(Mask<T> a, Mask<T> b) {
#if ASSAY_SIMD_BYTES == 64
  return {a.bits & b.bits};
#else
  for (std::size_t p = 0; p < wide_parts; ++p) a.part[p] &= b.part[p];
  return a;
#endif
}

template <class T>
ASSAY_INLINE Mask<T> operator|(Mask<T> a, Mask<T> b) {
#if ASSAY_SIMD_BYTES == 64
  return {a.bits | b.bits};
#else
  for (std::size_t p = 0; p < wide_parts; ++p) a.part[p] |= b.part[p];
  return a;
#endif
}

template <class T>
ASSAY_INLINE bool any(Mask<T> mask) {
#if ASSAY_SIMD_BYTES == 64
  return mask.bits != 0;
#else
  WideBits<T> some = mask.part[0];
  for (std::size_t p = 1; p < wide_parts; ++p) some |= mask.part[p];
  auto found = some[0];
  for (std::size_t j = 1; j < Wide<T>::of_part; ++j) found |= some[j];
  return found != 0;
#endif
}

/// `then` in the lanes of the mask, `otherwise` elsewhere.
template <class T>
ASSAY_INLINE Wide<T> where(Mask<T> mask, Wide<T> then, Wide<T> otherwise) {
#if ASSAY_SIMD_BYTES == 64
  if constexpr (sizeof(T) == 4) {
    then.part[0] = _mm512_mask_mov_ps(otherwise.part[0], static_cast<__mmask16>(mask.bits), then.part[0]);
  } else {
    then.part[0] = _mm512_mask_mov_pd(otherwise.part[0], static_cast<__mmask8>(mask.bits), then.part[0]);
  }
#else
  for (std::size_t p = 0; p < wide_parts; ++p) then.part[p] = mask.part[p] ? then.part[p] : otherwise.part[p];
#endif
  return then;
}

/// Lane l is the lane of x whose number differs from l in bit k.
template <int k, class T>
ASSAY_INLINE Wide<T> with_lanes_swapped(Wide<T> x) {
  constexpr std::size_t bit = std::size_t{1} << k, n = Wide<T>::of_part;
  static_assert(bit < width<T>);
  Wide<T> y;
  for (std::size_t p = 0; p < wide_parts; ++p) {
    if constexpr (bit < n) {
      y.part[p] = shuffled(x.part[p], x.part[p], std::make_index_sequence<n>(),
                           [](std::size_t l) consteval { return static_cast<int>(l ^ bit); });
    } else {
      y.part[p] = x.part[p ^ (bit / n)];
    }
  }
  return y;
}

/// Transposes the two-by-two blocks of p and q. p keeps its lanes with bit k clear; its other lanes become those lanes
/// of q. q keeps its lanes with bit k set; its other lanes become the lanes of p with bit k set.
template <int k, class T>
ASSAY_INLINE void exchange(Wide<T>& p, Wide<T>& q) {
  constexpr std::size_t bit = std::size_t{1} << k, n = Wide<T>::of_part;
  static_assert(bit < width<T>);
  Wide<T> a, b;
  for (std::size_t i = 0; i < wide_parts; ++i) {
    if constexpr (bit < n) {
      a.part[i] = shuffled(p.part[i], q.part[i], std::make_index_sequence<n>(), [](std::size_t l) consteval {
        return static_cast<int>((l & bit) == 0 ? l : n + (l ^ bit));
      });
      b.part[i] = shuffled(p.part[i], q.part[i], std::make_index_sequence<n>(),
                           [](std::size_t l) consteval { return static_cast<int>((l & bit) == 0 ? l ^ bit : n + l); });
    } else {
      const bool clear = (i & (bit / n)) == 0;
      a.part[i] = clear ? p.part[i] : q.part[i ^ (bit / n)];
      b.part[i] = clear ? p.part[i ^ (bit / n)] : q.part[i];
    }
  }
  p = a;
  q = b;
}

/// Lane l is the sum of the lanes of x[l], added up in the order of `sum` in lanes.h. Destroys x.
ASSAY_INLINE Wide<double> lane_sums(Wide<double> (&x)[width<double>]) {
  for (std::size_t i = 0; i < 4; ++i) {
    exchange<2>(x[i], x[i + 4]);
    x[i] = x[i] + x[i + 4];
  }
  for (std::size_t i = 0; i < 2; ++i) {
    exchange<1>(x[i], x[i + 2]);
    x[i] = x[i] + x[i + 2];
  }
  exchange<0>(x[0], x[1]);
  return x[0] + x[1];
}

/// Lane l is element lane[l] of p followed by q.
template <class T>
ASSAY_INLINE Wide<T> picked(Wide<T> p, Wide<T> q, const typename WideTypes<T>::Index* lane) {
#if ASSAY_SIMD_BYTES == 64
  if constexpr (sizeof(T) == 4) p.part[0] = _mm512_permutex2var_ps(p.part[0], _mm512_loadu_si512(lane), q.part[0]);
  if constexpr (sizeof(T) == 8) p.part[0] = _mm512_permutex2var_pd(p.part[0], _mm512_loadu_si512(lane), q.part[0]);
  return p;
#else
  T both[2 * width<T>], values[width<T>];
  store_wide(both, p);
  store_wide(both + width<T>, q);
  for (std::size_t l = 0; l < width<T>; ++l) values[l] = both[lane[l]];
  return load_wide(values);
#endif
}

}  // namespace assay::metal::cpu::ASSAY_SIMD
