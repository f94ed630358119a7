// Eight numbers of extended range (metal/cpu/ctc/extended_range.h) side by side. Zero is a mantissa of 0 or an exponent
// of at most `never`, whatever the other part is: so a number is taken out of a sum by adding `never` to its exponent,
// and no sum has to ask which of its terms are zero.
#pragma once

#include "metal/cpu/ctc/extended_range.h"
#include "metal/cpu/simd/lanes.h"
#include "metal/cpu/simd/masks.h"

namespace assay::metal::cpu::ASSAY_SIMD {

/// Far below the exponent of any product of probabilities, and 2^123 of them add up to a number.
inline constexpr double never = -0x1p900;

struct ExtendedLanes {
  Lanes mantissa, exponent;
};

/// Numbers in memory.
struct ExtendedArray {
  double *mantissa, *exponent;

  ASSAY_INLINE ExtendedArray operator+(std::ptrdiff_t i) const { return {mantissa + i, exponent + i}; }
};

ASSAY_INLINE ExtendedLanes load(ExtendedArray from, std::size_t i) {
  return {load(from.mantissa + i), load(from.exponent + i)};
}

ASSAY_INLINE void store(ExtendedArray to, std::size_t i, ExtendedLanes x) {
  store(to.mantissa + i, x.mantissa);
  store(to.exponent + i, x.exponent);
}

ASSAY_INLINE ExtendedLanes all(Extended x) {
  return {all(x.mantissa), all(x.mantissa == 0.0 ? never : x.exponent)};
}

inline Extended number(ExtendedArray from, std::size_t i) {
  const bool zero = from.mantissa[i] == 0.0 || from.exponent[i] <= 0.5 * never;
  return zero ? Extended{} : Extended{from.mantissa[i], from.exponent[i]};
}

ASSAY_INLINE void set_zero(ExtendedArray to, std::size_t i) {
  store(to, i, all(Extended{}));
}

/// x in the lanes where `kept` is 1; zero where it is 0.
ASSAY_INLINE ExtendedLanes only(Lanes kept, ExtendedLanes x) {
  return {x.mantissa * kept, x.exponent + (all(1.0) - kept) * all(never)};
}

ASSAY_INLINE ExtendedLanes last_then(ExtendedLanes before, ExtendedLanes x) {
  return {last_then(before.mantissa, x.mantissa), last_then(before.exponent, x.exponent)};
}

ASSAY_INLINE ExtendedLanes then_first(ExtendedLanes x, ExtendedLanes after) {
  return {then_first(x.mantissa, after.mantissa), then_first(x.exponent, after.exponent)};
}

/// Brings mantissas in [2^-768, 2^768), or 0, back to [2^-256, 2^256). Exact.
ASSAY_INLINE ExtendedLanes normalized(Lanes mantissa, Lanes exponent) {
  const auto large = greater(mantissa, all(0x1.fffffffffffffp255)), small = greater(all(0x1p-256), mantissa);
  return {mantissa * where(large, all(0x1p-512), where(small, all(0x1p512), all(1.0))),
          exponent + where(large, all(1.0), where(small, all(-1.0), all(0.0)))};
}

/// x in units of 2^(512 unit), for a unit of at least its exponent. What is below 2^-512 of the unit's smallest number
/// becomes 0: in a sum with such a number it is rounded away.
ASSAY_INLINE Lanes in_units_of(Lanes unit, ExtendedLanes x) {
  const Lanes below = where(equal(x.exponent, unit - all(1.0)), x.mantissa * all(0x1p-512), all(0.0));
  return where(equal(x.exponent, unit), x.mantissa, below);
}

/// The mantissa of a sum of few terms is in [2^-256, 2^258), or 0. Neighbours mostly have equal exponents, and their
/// sum is then that of doubles.
ASSAY_INLINE ExtendedLanes sum(ExtendedLanes a, ExtendedLanes b) {
  if (!any(different(a.exponent, b.exponent))) return {a.mantissa + b.mantissa, a.exponent};
  const Lanes unit = max(a.exponent, b.exponent);
  return {in_units_of(unit, a) + in_units_of(unit, b), unit};
}

/// (a + b) + c, without c where `counted` is 0.
ASSAY_INLINE ExtendedLanes sum(ExtendedLanes a, ExtendedLanes b, Lanes counted, ExtendedLanes c) {
  if (!any(different(a.exponent, b.exponent) | different(a.exponent, c.exponent)))
    return {(a.mantissa + b.mantissa) + counted * c.mantissa, a.exponent};
  c = only(counted, c);
  const Lanes unit = max(max(a.exponent, b.exponent), c.exponent);
  return {(in_units_of(unit, a) + in_units_of(unit, b)) + in_units_of(unit, c), unit};
}

ASSAY_INLINE ExtendedLanes product(ExtendedLanes a, ExtendedLanes b) {
  return normalized(a.mantissa * b.mantissa, a.exponent + b.exponent);
}

}  // namespace assay::metal::cpu::ASSAY_SIMD
