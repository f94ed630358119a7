// Non-negative numbers with the precision of a double and a range that no product of probabilities leaves:
//
//   value = mantissa * 2^(512 * exponent),   mantissa in [2^-256, 2^256), exponent a whole number
//   zero  = (0, -infinity)
//
// The exponent moves in steps of 512, so most pairs of numbers that are added share it, and their sum is one addition;
// the wide mantissa is Fukushima's device (Journal of Geodesy 86, 2012). Sums and products are correctly rounded:
//
//   product   mantissas multiply to within [2^-512, 2^512): one rounding, no overflow, no underflow
//   sum       exponents equal: one rounding. One apart: the smaller is scaled by 2^-512, exactly, to at least 2^-768,
//             then one rounding. Further apart: the smaller is below 2^-512 of the larger, which is the rounded sum
//
// A whole number is kept in a double because it needs no bound: to 2^53 it is exact, past that it degrades as a
// double does instead of wrapping around.
#pragma once

#include <cmath>
#include <limits>

namespace assay::metal::cpu {

struct Extended {
  static constexpr double log2_radix = 512.0;

  double mantissa = 0.0;
  double exponent = -std::numeric_limits<double>::infinity();

  bool is_zero() const { return mantissa == 0.0; }
};

inline constexpr Extended one = {1.0, 0.0};

/// Brings a mantissa in [2^-768, 2^768), or zero, back to [2^-256, 2^256). Exact.
inline Extended normalized(double mantissa, double exponent) {
  if (mantissa >= 0x1p256) return {mantissa * 0x1p-512, exponent + 1.0};
  if (mantissa < 0x1p-256) return {mantissa * 0x1p512, exponent - 1.0};
  return {mantissa, exponent};
}

inline Extended operator*(Extended a, Extended b) {
  return normalized(a.mantissa * b.mantissa, a.exponent + b.exponent);
}

inline Extended operator+(Extended a, Extended b) {
  if (a.exponent == b.exponent) return normalized(a.mantissa + b.mantissa, a.exponent);
  const Extended& large = a.exponent > b.exponent ? a : b;
  const Extended& small = a.exponent > b.exponent ? b : a;
  if (large.exponent - small.exponent > 1.0) return large;
  return normalized(large.mantissa + small.mantissa * 0x1p-512, large.exponent);
}

/// a / b for b > 0: one rounding within [2^-512, 2^512]; a smaller quotient may become 0, a larger the largest double.
inline double quotient(Extended a, Extended b) {
  const double exponent = a.exponent - b.exponent;
  if (exponent == 0.0) return a.mantissa / b.mantissa;
  if (exponent < -1.0) return 0.0;
  if (exponent > 1.0) return std::numeric_limits<double>::max();
  return a.mantissa / b.mantissa * (exponent < 0.0 ? 0x1p-512 : 0x1p512);
}

/// ln a, -infinity for zero. Near a = 1 the exponent is 0 and the logarithm is that of a double: nothing cancels.
inline double log(Extended a) {
  constexpr double ln2 = 0x1.62e42fefa39efp-1;
  return a.exponent == 0.0 ? std::log(a.mantissa) : std::log(a.mantissa) + a.exponent * (Extended::log2_radix * ln2);
}

}  // namespace assay::metal::cpu
