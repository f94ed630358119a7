// Eight doubles side by side, whatever the width of a register: one of 64 bytes, two of 32 or four of 16. Elements,
// sums over lanes and their order are the same for every width, so equal inputs give equal bits on every machine.
//
// This header and its neighbours are compiled once for each instruction set, each time in a namespace of its own:
// the simd/*.cpp of each operation define ASSAY_SIMD, the name, and ASSAY_SIMD_BYTES, and include them where that set
// is switched on. They use no function of the standard library, so that none gets compiled for a machine that lacks the
// instructions.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

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

inline constexpr std::size_t lanes = 8;
inline constexpr std::size_t lanes_of_part = ASSAY_SIMD_BYTES / sizeof(double);
inline constexpr std::size_t parts = lanes / lanes_of_part;

using Part = double __attribute__((vector_size(ASSAY_SIMD_BYTES)));
using PartBits = std::uint64_t __attribute__((vector_size(ASSAY_SIMD_BYTES)));
using PartInMemory = double __attribute__((vector_size(ASSAY_SIMD_BYTES), aligned(8), may_alias));
using FloatPart = float __attribute__((vector_size(ASSAY_SIMD_BYTES / 2)));
using FloatPartInMemory = float __attribute__((vector_size(ASSAY_SIMD_BYTES / 2), aligned(4), may_alias));

struct Lanes {
  Part part[parts];
};

ASSAY_INLINE Lanes all(double x) {
  Lanes y;
  for (Part& part : y.part) part = x - Part{};
  return y;
}

ASSAY_INLINE Lanes operator+(Lanes a, Lanes b) {
  for (std::size_t p = 0; p < parts; ++p) a.part[p] += b.part[p];
  return a;
}

ASSAY_INLINE Lanes operator-(Lanes a, Lanes b) {
  for (std::size_t p = 0; p < parts; ++p) a.part[p] -= b.part[p];
  return a;
}

ASSAY_INLINE Lanes operator*(Lanes a, Lanes b) {
  for (std::size_t p = 0; p < parts; ++p) a.part[p] *= b.part[p];
  return a;
}

ASSAY_INLINE Lanes max(Lanes a, Lanes b) {
#if ASSAY_SIMD_BYTES == 64  // as the other branch, for which GCC 12 needs two instructions
  a.part[0] = _mm512_maskz_max_pd(0xff, a.part[0], b.part[0]);
#else
  for (std::size_t p = 0; p < parts; ++p) a.part[p] = a.part[p] > b.part[p] ? a.part[p] : b.part[p];
#endif
  return a;
}

ASSAY_INLINE Lanes min(Lanes a, Lanes b) {
#if ASSAY_SIMD_BYTES == 64
  a.part[0] = _mm512_maskz_min_pd(0xff, a.part[0], b.part[0]);
#else
  for (std::size_t p = 0; p < parts; ++p) a.part[p] = a.part[p] < b.part[p] ? a.part[p] : b.part[p];
#endif
  return a;
}

/// `then` where x < limit; `otherwise` elsewhere, also where x is NaN.
ASSAY_INLINE Lanes where_less(Lanes x, double limit, double then, double otherwise) {
  for (Part& part : x.part) part = part < limit ? then - Part{} : otherwise - Part{};
  return x;
}

/// x where x > 0, else `otherwise`.
ASSAY_INLINE Lanes where_positive(Lanes x, double otherwise) {
  for (Part& part : x.part) part = part > 0.0 ? part : otherwise - Part{};
  return x;
}

/// The last element of `lower`, then all but the last of `upper`.
template <class P>
ASSAY_INLINE P last_then(P lower, P upper) {
  if constexpr (sizeof(P) == 64) {
    return __builtin_shufflevector(lower, upper, 7, 8, 9, 10, 11, 12, 13, 14);
  } else if constexpr (sizeof(P) == 32) {
    return __builtin_shufflevector(lower, upper, 3, 4, 5, 6);
  } else {
    return __builtin_shufflevector(lower, upper, 1, 2);
  }
}

/// All but the first element of `lower`, then the first of `upper`.
template <class P>
ASSAY_INLINE P then_first(P lower, P upper) {
  if constexpr (sizeof(P) == 64) {
    return __builtin_shufflevector(lower, upper, 1, 2, 3, 4, 5, 6, 7, 8);
  } else if constexpr (sizeof(P) == 32) {
    return __builtin_shufflevector(lower, upper, 1, 2, 3, 4);
  } else {
    return __builtin_shufflevector(lower, upper, 1, 2);
  }
}

ASSAY_INLINE Lanes last_then(Lanes before, Lanes x) {
  Lanes y;
  for (std::size_t p = 0; p < parts; ++p)
    y.part[p] = last_then(p == 0 ? before.part[parts - 1] : x.part[p - 1], x.part[p]);
  return y;
}

ASSAY_INLINE Lanes then_first(Lanes x, Lanes after) {
  Lanes y;
  for (std::size_t p = 0; p < parts; ++p)
    y.part[p] = then_first(x.part[p], p + 1 == parts ? after.part[0] : x.part[p + 1]);
  return y;
}

/// fraction * 2^k, where the lowest bits of `whole` are k, for results that are normal numbers.
ASSAY_INLINE Lanes times_power_of_two(Lanes fraction, Lanes whole) {
  for (std::size_t p = 0; p < parts; ++p)
    fraction.part[p] = reinterpret_cast<Part>(reinterpret_cast<PartBits>(fraction.part[p]) +
                                              (reinterpret_cast<PartBits>(whole.part[p]) << 52));
  return fraction;
}

ASSAY_INLINE Lanes load(const double* from) {
  Lanes x;
  for (std::size_t p = 0; p < parts; ++p) x.part[p] = *reinterpret_cast<const PartInMemory*>(from + p * lanes_of_part);
  return x;
}

ASSAY_INLINE void store(double* to, Lanes x) {
  for (std::size_t p = 0; p < parts; ++p) *reinterpret_cast<PartInMemory*>(to + p * lanes_of_part) = x.part[p];
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
  for (std::size_t p = 0; p < parts; ++p)
    x.part[p] = to_doubles(*reinterpret_cast<const FloatPartInMemory*>(from + p * lanes_of_part));
  return x;
}

/// Rounds to float32, once, and never to -0.
ASSAY_INLINE void store(float* to, Lanes x) {
  for (std::size_t p = 0; p < parts; ++p)
    *reinterpret_cast<FloatPartInMemory*>(to + p * lanes_of_part) =
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
