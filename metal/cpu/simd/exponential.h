// exp(a) * 2^-k0 for eight float32 numbers a at once, as doubles, for |a| <= 2^20, within 3 u (u = 2^-53):
//
//   a = n (ln 2 / 16) + r, |r| <= 0.0229   n whole
//   exp(a) 2^-k0 = 2^(n/16 - k0) exp(r)    2^(n/16) = 2^k times an entry of a table of 16
//                                          exp(r) = 1 + (r + r^2 q(r)), q of degree 4 through (exp(r) - 1 - r) / r^2 at
//                                          the Chebyshev nodes of [-0.0229, 0.0229]
//
// Dividing by a power of two instead of subtracting the largest a spares a subtraction that is not exact. Two products
// are exact, so that a fused multiply-add gives the same bits as two instructions: a times 16 / ln 2 to 29 bits, whose
// error enlarges |r| alone, and n times the first of two parts of ln 2 / 16.
//
// Error: the entry of the table u, the last addition u, its second term 0.05 u, the polynomial 0.4 u, and r 0.03 u.
#pragma once

#include "metal/cpu/simd/lanes.h"

namespace assay::metal::cpu::ASSAY_SIMD {

inline constexpr double log2_e = 0x1.71547652b82fep0;
inline constexpr double ln2 = 0x1.62e42fefa39efp-1;
inline constexpr double steps = 16.0;  ///< of the table, in a factor of two
inline constexpr double steps_per_unit = 0x1.7154765p4;
inline constexpr double step_high = 0x1.62e42fep-5, step_low = 0x1.f473de6af278fp-34;
inline constexpr double nearest_whole = 0x1.8p52;  // added and taken away again, rounds to a whole number

/// exp(r) - 1 for |r| <= 0.0229.
ASSAY_INLINE Lanes exp_minus_one(Lanes r) {
  const Lanes s = r * r;
  const Lanes q01 = all(0x1.0p-1) + r * all(0x1.55555554bf588p-3);
  const Lanes q23 = all(0x1.555555550a56fp-5) + r * all(0x1.1112285fee284p-7);
  return r + s * (q01 + s * (q23 + s * all(0x1.6c17d8bad92e8p-10)));
}

/// 2^(n/16) for whole n, as nearest_whole + n, where the result is a normal number. Entry j of the table holds the bits
/// of 2^(j/16), less those that n = j adds to them.
ASSAY_INLINE Lanes power_of_steps(Lanes n) {
  alignas(64) static constexpr std::uint64_t table[] = {
      0x3ff0000000000000U, 0x3fefb5586cf9890fU, 0x3fef72b83c7d517bU, 0x3fef387a6e756238U,
      0x3fef06fe0a31b715U, 0x3feedea64c123422U, 0x3feebfdad5362a27U, 0x3feeab07dd485429U,
      0x3feea09e667f3bcdU, 0x3feea11473eb0187U, 0x3feeace5422aa0dbU, 0x3feec49182a3f090U,
      0x3feee89f995ad3adU, 0x3fef199bdd85529cU, 0x3fef5818dcfba487U, 0x3fefa4afa2a490daU};
  for (Part& part : n.part) {
    const PartBits bits = reinterpret_cast<PartBits>(part);
#if ASSAY_SIMD_BYTES == 64
    const PartBits entry = reinterpret_cast<PartBits>(_mm512_permutex2var_epi64(
        _mm512_load_si512(table), reinterpret_cast<__m512i>(bits), _mm512_load_si512(table + lanes)));
#else
    PartBits entry;
    for (std::size_t j = 0; j < Lanes::of_part; ++j) entry[j] = table[bits[j] & 15U];
#endif
    part = reinterpret_cast<Part>(entry + (bits << 48));
  }
  return n;
}

/// The largest argument where there is no k0; callers replace a larger argument by this one.
inline constexpr double max_exponent = 709.0;

/// Keeps the exponentials of a frame within the range of doubles.
struct ExpRange {
  double least = -600.0;  ///< a smaller argument is replaced by this one, which has at most 24 bits
  double k0 = 0.0;

  /// The range for numbers up to `highest`. The scaled exponential of `highest` is about 1.
  ASSAY_INLINE static ExpRange below(double highest) {
    const double whole = (highest + nearest_whole) - nearest_whole;
    return {whole - 601.0, (highest * log2_e + nearest_whole) - nearest_whole};
  }
};

/// The reduced argument of exp(a) 2^-k0 for a of at most 24 bits: r, and nearest_whole + n - 16 k0.
struct HalfExponential {
  Lanes r, whole;

  ASSAY_INLINE explicit HalfExponential(Lanes a, double k0 = 0.0) {
    const Lanes to_whole = all(nearest_whole - steps * k0);
    whole = fused(a, all(steps_per_unit), to_whole);
    const Lanes n = whole - to_whole;
    r = fused(n, all(-step_high), a) - n * all(step_low);
  }

  ASSAY_INLINE Lanes rest() const {
    const Lanes power = power_of_steps(whole);
    return power + power * exp_minus_one(r);
  }
};

ASSAY_INLINE Lanes exponential(Lanes a, ExpRange range) {
  return HalfExponential(max(a, all(range.least)), range.k0).rest();
}

}  // namespace assay::metal::cpu::ASSAY_SIMD
