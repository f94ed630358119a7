// Eight doubles side by side: wide.h for double, and loads and stores of other types as doubles.
#pragma once

#include <bit>

#include "metal/cpu/simd/wide.h"

namespace assay::metal::cpu::ASSAY_SIMD {

using Lanes = Wide<double>;
using Part = WidePart<double>;
using PartBits = std::uint64_t __attribute__((vector_size(ASSAY_SIMD_BYTES)));
using FloatPart = float __attribute__((vector_size(ASSAY_SIMD_BYTES / 2)));
using FloatPartInMemory __attribute__((vector_size(ASSAY_SIMD_BYTES / 2), aligned(4), may_alias)) = float;

inline constexpr std::size_t lanes = width<double>;

/// x where x > 0, else `otherwise`.
ASSAY_INLINE Lanes where_positive(Lanes x, double otherwise) {
  for (Part& part : x.part) part = part > 0.0 ? part : otherwise - Part{};
  return x;
}

/// The last element of `lower`, then all but the last of `upper`.
ASSAY_INLINE Part last_then(Part lower, Part upper) {
  constexpr std::size_t n = Lanes::of_part;
  return shuffled(lower, upper, std::make_index_sequence<n>(),
                  [](std::size_t l) consteval { return static_cast<int>(n - 1 + l); });
}

/// All but the first element of `lower`, then the first of `upper`.
ASSAY_INLINE Part then_first(Part lower, Part upper) {
  return shuffled(lower, upper, std::make_index_sequence<Lanes::of_part>(),
                  [](std::size_t l) consteval { return static_cast<int>(l + 1); });
}

ASSAY_INLINE Lanes last_then(Lanes before, Lanes x) {
  Lanes y;
  for (std::size_t p = 0; p < wide_parts; ++p)
    y.part[p] = last_then(p == 0 ? before.part[wide_parts - 1] : x.part[p - 1], x.part[p]);
  return y;
}

ASSAY_INLINE Lanes then_first(Lanes x, Lanes after) {
  Lanes y;
  for (std::size_t p = 0; p < wide_parts; ++p)
    y.part[p] = then_first(x.part[p], p + 1 == wide_parts ? after.part[0] : x.part[p + 1]);
  return y;
}

ASSAY_INLINE Lanes load(const double* from) {
  return load_wide(from);
}

ASSAY_INLINE void store(double* to, Lanes x) {
  store_wide(to, x);
}

ASSAY_INLINE Part to_doubles(FloatPart x) {
#if ASSAY_SIMD_BYTES == 64  // as the other branch, which GCC 12 compiles to two conversions
  return _mm512_maskz_cvtps_pd(0xff, x);
#else
  return __builtin_convertvector(x, Part);
#endif
}

ASSAY_INLINE Lanes load(const float* from) {
  Lanes x;
  for (std::size_t p = 0; p < wide_parts; ++p)
    x.part[p] = to_doubles(*reinterpret_cast<const FloatPartInMemory*>(from + p * Wide<double>::of_part));
  return x;
}

/// Rounds to float32, once, and never to -0.
ASSAY_INLINE void store(float* to, Lanes x) {
  for (std::size_t p = 0; p < wide_parts; ++p)
    *reinterpret_cast<FloatPartInMemory*>(to + p * Wide<double>::of_part) =
        __builtin_convertvector(x.part[p], FloatPart) + 0.0F;
}

/// lanes_from: 1 in the lanes from `count` on, else 0. lanes_below: 1 in the lanes below `count`, else 0.
ASSAY_INLINE Lanes lanes_from(std::size_t count) {
  alignas(64) static constexpr double masks[] = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1};
  return load(masks + lanes - count);
}
ASSAY_INLINE Lanes lanes_below(std::size_t count) {
  return all(1.0) - lanes_from(count);
}

/// The first and the second half of a part.
template <class P>
ASSAY_INLINE auto low_half(P x) {
  if constexpr (sizeof(P) == 64) {
    return __builtin_shufflevector(x, x, 0, 1, 2, 3);
  } else {
    return __builtin_shufflevector(x, x, 0, 1);
  }
}
template <class P>
ASSAY_INLINE auto high_half(P x) {
  if constexpr (sizeof(P) == 64) {
    return __builtin_shufflevector(x, x, 4, 5, 6, 7);
  } else {
    return __builtin_shufflevector(x, x, 2, 3);
  }
}

/// Combines the lanes in the order ((0 4) (2 6)) ((1 5) (3 7)), for every width of a register.
template <class P, class Operation>
ASSAY_INLINE double reduce(const P* part, Operation operation) {
  if constexpr (sizeof(P) == 16) {
    const P pair = operation(operation(part[0], part[2]), operation(part[1], part[3]));
    return operation(pair[0], pair[1]);
  } else {
    const auto four = [&] {
      if constexpr (sizeof(P) == 64) return operation(low_half(part[0]), high_half(part[0]));
      if constexpr (sizeof(P) == 32) return operation(part[0], part[1]);
    }();
    const auto pair = operation(low_half(four), high_half(four));
    return operation(pair[0], pair[1]);
  }
}

ASSAY_INLINE double sum(Lanes x) {
  return reduce(x.part, [](auto a, auto b) { return a + b; });
}

ASSAY_INLINE double largest(Lanes x) {
  return reduce(x.part, [](auto a, auto b) { return a > b ? a : b; });
}

ASSAY_INLINE double larger(double a, double b) {
  return a > b ? a : b;
}

ASSAY_INLINE double smallest(Lanes x) {
  return -largest(all(0.0) - x);
}

}  // namespace assay::metal::cpu::ASSAY_SIMD
