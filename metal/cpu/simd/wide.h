// 64 bytes of float or double side by side, whatever the width of a register: one of 64 bytes, two of 32 or four of 16.
// Elements, sums over lanes and their order are the same for every width. Where the instruction set has a fused
// multiply-add (AVX-512, or ASSAY_SIMD_FMA), `fused` rounds once; all other functions give the same bits on every
// machine.
//
// This header and its neighbours are compiled once for each instruction set, each time in a namespace of its own:
// the simd/*.cpp of each operation define ASSAY_SIMD, the name, and ASSAY_SIMD_BYTES, and include them where that set
// is switched on. They use no function of the standard library, so that none gets compiled for a machine that lacks the
// instructions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#ifndef ASSAY_SIMD
#define ASSAY_SIMD baseline
#define ASSAY_SIMD_BYTES 16
#endif

// ASSAY_INLINE stands before a function, ASSAY_INLINE_LAMBDA between a lambda's parameters and its body. With
// AddressSanitizer neither forces inlining: GCC would take minutes for such large functions.
#if defined(__SANITIZE_ADDRESS__)
#define ASSAY_INLINE inline
#define ASSAY_INLINE_LAMBDA
#else
#define ASSAY_INLINE [[gnu::always_inline]] inline
#define ASSAY_INLINE_LAMBDA __attribute__((always_inline))
#endif

namespace assay::metal::cpu::ASSAY_SIMD {

/// The vectors of one register, and as they lie in memory: Clang heeds `aligned` beside the name alone.
template <class T>
struct WideTypes;
template <>
struct WideTypes<float> {
  using Part = float __attribute__((vector_size(ASSAY_SIMD_BYTES)));
  using PartInMemory __attribute__((vector_size(ASSAY_SIMD_BYTES), aligned(4), may_alias)) = float;
  using Bits = std::int32_t __attribute__((vector_size(ASSAY_SIMD_BYTES)));
  using Index = std::int32_t;
  static constexpr std::int32_t exponent = 0x7f800000, magnitude = 0x7fffffff, reciprocal_of_one = 0x7f000000;
};
template <>
struct WideTypes<double> {
  using Part = double __attribute__((vector_size(ASSAY_SIMD_BYTES)));
  using PartInMemory __attribute__((vector_size(ASSAY_SIMD_BYTES), aligned(8), may_alias)) = double;
  using Bits = std::int64_t __attribute__((vector_size(ASSAY_SIMD_BYTES)));
  using Index = std::int64_t;
  static constexpr std::int64_t exponent = 0x7ff0000000000000, magnitude = 0x7fffffffffffffff,
                                reciprocal_of_one = 0x7fe0000000000000;
};
template <class T>
using WidePart = typename WideTypes<T>::Part;
template <class T>
using WideBits = typename WideTypes<T>::Bits;

template <class T>
inline constexpr std::size_t width = 64 / sizeof(T);
inline constexpr std::size_t wide_parts = 64 / ASSAY_SIMD_BYTES;

template <class T>
struct Wide {
  static constexpr std::size_t of_part = ASSAY_SIMD_BYTES / sizeof(T);
  WidePart<T> part[wide_parts];
};

template <class T>
ASSAY_INLINE Wide<T> all(T x) {
  Wide<T> y;
  for (auto& part : y.part) part = x - WidePart<T>{};
  return y;
}

template <class T>
ASSAY_INLINE Wide<T> operator+(Wide<T> a, Wide<T> b) {
  for (std::size_t p = 0; p < wide_parts; ++p) a.part[p] += b.part[p];
  return a;
}

template <class T>
ASSAY_INLINE Wide<T> operator-(Wide<T> a, Wide<T> b) {
  for (std::size_t p = 0; p < wide_parts; ++p) a.part[p] -= b.part[p];
  return a;
}

template <class T>
ASSAY_INLINE Wide<T> operator*(Wide<T> a, Wide<T> b) {
  for (std::size_t p = 0; p < wide_parts; ++p) a.part[p] *= b.part[p];
  return a;
}

template <class T>
ASSAY_INLINE Wide<T> operator/(Wide<T> a, Wide<T> b) {
  for (std::size_t p = 0; p < wide_parts; ++p) a.part[p] /= b.part[p];
  return a;
}

template <class T>
ASSAY_INLINE Wide<T> operator-(Wide<T> a) {
  for (auto& part : a.part) part = -part;
  return a;
}

/// a * b + c.
template <class T>
ASSAY_INLINE Wide<T> fused(Wide<T> a, Wide<T> b, Wide<T> c) {
#if ASSAY_SIMD_BYTES == 64
  if constexpr (sizeof(T) == 4) {
    a.part[0] = _mm512_fmadd_ps(a.part[0], b.part[0], c.part[0]);
  } else {
    a.part[0] = _mm512_fmadd_pd(a.part[0], b.part[0], c.part[0]);
  }
  return a;
#elif defined(ASSAY_SIMD_FMA)
  for (std::size_t p = 0; p < wide_parts; ++p) {
    if constexpr (sizeof(T) == 4) {
      a.part[p] = _mm256_fmadd_ps(a.part[p], b.part[p], c.part[p]);
    } else {
      a.part[p] = _mm256_fmadd_pd(a.part[p], b.part[p], c.part[p]);
    }
  }
  return a;
#else
  return a * b + c;
#endif
}

/// The larger one; b where a is NaN.
template <class T>
ASSAY_INLINE Wide<T> max(Wide<T> a, Wide<T> b) {
#if ASSAY_SIMD_BYTES == 64  // as the other branch, for which GCC 12 needs two instructions
  if constexpr (sizeof(T) == 4) a.part[0] = _mm512_maskz_max_ps(0xffff, a.part[0], b.part[0]);
  if constexpr (sizeof(T) == 8) a.part[0] = _mm512_maskz_max_pd(0xff, a.part[0], b.part[0]);
#else
  for (std::size_t p = 0; p < wide_parts; ++p) a.part[p] = a.part[p] > b.part[p] ? a.part[p] : b.part[p];
#endif
  return a;
}

template <class T>
ASSAY_INLINE Wide<T> min(Wide<T> a, Wide<T> b) {
#if ASSAY_SIMD_BYTES == 64
  if constexpr (sizeof(T) == 4) a.part[0] = _mm512_maskz_min_ps(0xffff, a.part[0], b.part[0]);
  if constexpr (sizeof(T) == 8) a.part[0] = _mm512_maskz_min_pd(0xff, a.part[0], b.part[0]);
#else
  for (std::size_t p = 0; p < wide_parts; ++p) a.part[p] = a.part[p] < b.part[p] ? a.part[p] : b.part[p];
#endif
  return a;
}

template <class T>
ASSAY_INLINE Wide<T> absolute(Wide<T> x) {
  for (auto& part : x.part)
    part = reinterpret_cast<WidePart<T>>(reinterpret_cast<WideBits<T>>(part) & WideTypes<T>::magnitude);
  return x;
}

template <class T>
ASSAY_INLINE Wide<T> load_wide(const T* from) {
  Wide<T> x;
  for (std::size_t p = 0; p < wide_parts; ++p)
    x.part[p] = *reinterpret_cast<const typename WideTypes<T>::PartInMemory*>(from + p * Wide<T>::of_part);
  return x;
}

template <class T>
ASSAY_INLINE void store_wide(T* to, Wide<T> x) {
  for (std::size_t p = 0; p < wide_parts; ++p)
    *reinterpret_cast<typename WideTypes<T>::PartInMemory*>(to + p * Wide<T>::of_part) = x.part[p];
}

/// The first `count` elements; 0 in the other lanes.
template <class T>
ASSAY_INLINE Wide<T> load_wide(const T* from, std::size_t count) {
  if (count >= width<T>) return load_wide(from);
#if ASSAY_SIMD_BYTES == 64
  Wide<T> x;
  const auto first = static_cast<std::uint16_t>((1U << count) - 1U);
  if constexpr (sizeof(T) == 4) x.part[0] = _mm512_maskz_loadu_ps(first, from);
  if constexpr (sizeof(T) == 8) x.part[0] = _mm512_maskz_loadu_pd(static_cast<__mmask8>(first), from);
  return x;
#else
  T values[width<T>] = {};
  for (std::size_t j = 0; j < count; ++j) values[j] = from[j];
  return load_wide(values);
#endif
}

template <class T>
ASSAY_INLINE void store_wide(T* to, std::size_t count, Wide<T> x) {
  if (count >= width<T>) return store_wide(to, x);
#if ASSAY_SIMD_BYTES == 64
  const auto first = static_cast<std::uint16_t>((1U << count) - 1U);
  if constexpr (sizeof(T) == 4) _mm512_mask_storeu_ps(to, first, x.part[0]);
  if constexpr (sizeof(T) == 8) _mm512_mask_storeu_pd(to, static_cast<__mmask8>(first), x.part[0]);
#else
  T values[width<T>];
  store_wide(values, x);
  for (std::size_t j = 0; j < count; ++j) to[j] = values[j];
#endif
}

/// Lane l is element from(l) of a followed by b.
template <std::size_t... l, class P>
ASSAY_INLINE P shuffled(P a, P b, std::index_sequence<l...>, auto from) {
  return __builtin_shufflevector(a, b, from(l)...);
}

}  // namespace assay::metal::cpu::ASSAY_SIMD
