// exp(a - m) for float32 a and m, to within 4 u (u = 2^-53), however small the result:
//
// a - m = high + low exactly (Knuth's two-sum)
//   high + low = k ln 2 + r, |r| <= 0.347    k whole; ln 2 in three parts, so that k times the first two is exact
//   exp(a - m) = 2^k exp(r)                  exp(r) by its Taylor polynomial of degree 13
//
// Error of r: three additions whose result is at most 0.347, 1.05 u. Truncation of the series: r^14 / 14! < 0.04 u.
// Horner's scheme: u for the last addition, and 0.414 (2 + 0.2 * 2.3) u from the term it adds. Together below 3.2 u.
// Valid for |a|, |m| <= 2^30; beyond that a float32 is itself known to no better than 64, see `exponential`.
// Plain arithmetic without branches: equal bits on every machine, and compilers turn loops over it into SIMD.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "metal/cpu/ctc/extended_range.h"

namespace assay::metal::cpu {

/// An unevaluated sum high + low with |low| <= u |high|.
struct DoubleDouble {
  double high;
  double low;
};

/// a - m exactly.
inline DoubleDouble difference(float a, float m) {
  const double x = a, y = -static_cast<double>(m);
  const double sum = x + y;
  const double y_rounded = sum - x;
  return {sum, (x - (sum - y_rounded)) + (y - y_rounded)};
}

/// exp(r) = 1 + r (1 + r q(r)) for |r| <= 0.347, with the even and the odd powers of q side by side.
inline double exp_polynomial(double r) {
  const double s = r * r;
  double even = 1.0 / 479001600.0, odd = 1.0 / 6227020800.0;
  even = even * s + 1.0 / 3628800.0, odd = odd * s + 1.0 / 39916800.0;
  even = even * s + 1.0 / 40320.0, odd = odd * s + 1.0 / 362880.0;
  even = even * s + 1.0 / 720.0, odd = odd * s + 1.0 / 5040.0;
  even = even * s + 1.0 / 24.0, odd = odd * s + 1.0 / 120.0;
  even = even * s + 1.0 / 2.0, odd = odd * s + 1.0 / 6.0;
  return 1.0 + r * (1.0 + r * (even + r * odd));
}

/// The parts of exp(x) = 2^k * fraction, with fraction in (0.7, 1.42).
struct BinaryExp {
  double k;
  double fraction;
};

/// For |x.high| <= 2^30.
inline BinaryExp binary_exp(DoubleDouble x) {
  constexpr double log2_e = 0x1.71547652b82fep0;
  constexpr double to_whole = 0x1.8p52;  // added and taken away again, rounds to a whole number
  constexpr double ln2_1 = 0x1.62e43p-1, ln2_2 = -0x1.05c61p-29, ln2_3 = -0x1.950d871319ffp-54;
  const double k = (x.high * log2_e + to_whole) - to_whole;
  const double r = (((x.high - k * ln2_1) - k * ln2_2) - k * ln2_3) + x.low;
  return {k, exp_polynomial(r)};
}

/// 2^k for a whole k in [-1022, 1023]; any bits at all for another k.
inline double power_of_two(double k) {
  const std::uint64_t bits = std::bit_cast<std::uint64_t>(k + 0x1.8p52) + 1023U;
  return std::bit_cast<double>(bits << 52U);
}

/// 2^k * fraction in extended range.
inline Extended extended(BinaryExp exp) {
  const double exponent = std::nearbyint(exp.k / Extended::log2_radix);
  return normalized(power_of_two(exp.k - Extended::log2_radix * exponent) * exp.fraction, exponent);
}

/// exp(x) for a float32 x of any size. Past 2^30 the power of two nearest to it, k kept to 30 bits: the logarithm then
/// has a relative error of 2^-30, less than half a unit of the float32 loss, and up to 2^23 of them add up exactly, so
/// that alignments of equal cost stay equal.
inline Extended exponential(float x) {
  if (std::fabs(x) <= 0x1p30F) return extended(binary_exp({x, 0.0}));
  const double k = static_cast<double>(x) * 0x1.71547652b82fep0;
  const double split = k * (0x1p23 + 1.0);
  return extended({std::nearbyint(split - (split - k)), 1.0});
}

/// exp(a - m) in extended range; exactly zero for a = -inf.
inline Extended exponential(float a, float m) {
  if (a == -std::numeric_limits<float>::infinity()) return {};
  const DoubleDouble x = difference(a, m);
  if (std::fabs(x.high) <= 0x1p30) return extended(binary_exp(x));
  return exponential(a) * exponential(-m);
}

}  // namespace assay::metal::cpu
