// exp(a) * 2^-k0 for eight float32 numbers a at once, as doubles, for |a| <= 2^20:
//
//   a = k ln 2 + r, |r| <= 0.3466        k whole
//   exp(a) 2^-k0 = 2^(k - k0) exp(r)     exp(r) = (1 + r) + r^2 q(r), q through (exp(r) - 1 - r) / r^2 at the Chebyshev
//                                        nodes of [-0.3466, 0.3466]
//
// Dividing by a power of two instead of subtracting the largest a spares a subtraction that is not exact.
//
// Accuracy::fine is within 3 u (u = 2^-53): ln 2 in two parts, k times the first of which is exact, and so is what is
// left when it is taken from a; q of degree 9. Error of r: one addition whose result is at most 0.347, 0.35 u. The
// polynomial: 0.15 u. The last addition and 1 + r: u each. r^2 q(r) is at most 0.075 of the result and off by less than
// 6 u.
//
// Accuracy::coarse is within (670 + 1.5 |a|) u, for sums of so many terms that the rounding of the sum is larger: ln 2
// in one part, whose rounding and that of the product are 1.5 |a| u; q of degree 7, 666.4 u.
#pragma once

#include "metal/cpu/simd/lanes.h"

namespace assay::metal::cpu::ASSAY_SIMD {

inline constexpr double log2_e = 0x1.71547652b82fep0;
inline constexpr double ln2 = 0x1.62e42fefa39efp-1;
inline constexpr double ln2_high = 0x1.62e42feep-1, ln2_low = 0x1.a39ef35793c76p-33;
inline constexpr double nearest_whole = 0x1.8p52;  // added and taken away again, rounds to a whole number

enum class Accuracy { fine, coarse };

/// exp(r) for |r| <= 0.3466, by Estrin's scheme: a chain of dependent operations half as long as Horner's.
template <Accuracy accuracy>
ASSAY_INLINE Lanes exp_polynomial(Lanes r) {
  const Lanes s = r * r, ss = s * s;
  if constexpr (accuracy == Accuracy::coarse) {
    const Lanes q01 = all(0x1.fffffffffe064p-2) + r * all(0x1.5555555554f96p-3);
    const Lanes q23 = all(0x1.55555565c746ep-5) + r * all(0x1.111111170b889p-7);
    const Lanes q45 = all(0x1.6c166be0ac9c4p-10) + r * all(0x1.a019c36d4499dp-13);
    const Lanes q67 = all(0x1.a136bb8abfb74p-16) + r * all(0x1.72ad42f9bb93fp-19);
    return (all(1.0) + r) + s * ((q01 + s * q23) + ss * (q45 + s * q67));
  } else {
    const Lanes q01 = all(0x1.0000000000001p-1) + r * all(0x1.5555555555556p-3);
    const Lanes q23 = all(0x1.5555555553d64p-5) + r * all(0x1.11111111109b4p-7);
    const Lanes q45 = all(0x1.6c16c1788b646p-10) + r * all(0x1.a01a01a7c3d59p-13);
    const Lanes q67 = all(0x1.a019b90eefe8ep-16) + r * all(0x1.71de0daf7a6ccp-19);
    const Lanes q89 = all(0x1.2891834686c7ep-22) + r * all(0x1.af38a71a18cb9p-26);
    return (all(1.0) + r) + s * ((q01 + s * q23) + ss * ((q45 + s * q67) + ss * q89));
  }
}

/// The largest argument where there is no k0; callers replace a larger argument by this one.
inline constexpr double max_exponent = 709.0;

/// Keeps the exponentials of a frame within the range of doubles.
struct ExpRange {
  double least = -600.0;  ///< a smaller argument is replaced by this one
  double k0 = 0.0;

  /// The range for numbers up to `highest`. The scaled exponential of `highest` is about 1.
  ASSAY_INLINE static ExpRange below(double highest) {
    return {highest - 600.0, (highest * log2_e + nearest_whole) - nearest_whole};
  }
};

/// The reduced argument of exp(a) 2^-k0: r, and a number whose lowest bits are k - k0.
template <Accuracy accuracy>
struct HalfExponential {
  Lanes r, whole;

  ASSAY_INLINE HalfExponential(Lanes a, ExpRange range) {
    const Lanes to_whole = all(nearest_whole - range.k0);
    a = max(a, all(range.least));
    whole = a * all(log2_e) + to_whole;
    const Lanes k = whole - to_whole;
    r = accuracy == Accuracy::coarse ? a - k * all(ln2) : (a - k * all(ln2_high)) - k * all(ln2_low);
  }

  ASSAY_INLINE Lanes rest() const { return times_power_of_two(exp_polynomial<accuracy>(r), whole); }
};

template <Accuracy accuracy = Accuracy::fine>
ASSAY_INLINE Lanes exponential(Lanes a, ExpRange range) {
  return HalfExponential<accuracy>(a, range).rest();
}

}  // namespace assay::metal::cpu::ASSAY_SIMD
