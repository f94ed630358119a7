// One row of the recursions in extended range (extended.h): its memory and its emissions.
#pragma once

#include "metal/cpu/ctc/exponential.h"
#include "metal/cpu/ctc/simd/extended_lanes.h"
#include "metal/cpu/ctc/simd/scaled_block.h"

namespace assay::metal::cpu::ASSAY_SIMD {

/// A row of scaled doubles whose cells are mantissas, and the exponents.
struct ExtendedRow {
  Scaled row;
  ExtendedCells cells;

  ExtendedArray blanks(std::size_t t) const {
    double* mantissas = row.cells.alpha.data() + 2 * (t & row.kept) * ScaledCells::stride(row.S);
    return {mantissas, mantissas + ScaledCells::stride(row.S)};
  }
  ExtendedArray labels(std::size_t t) const {
    return blanks(t) + static_cast<std::ptrdiff_t>(ScaledCells::width(row.S) + 8);
  }
  /// y(t) of each label, and later alpha(t) beta(t) of each, for the current block of frames.
  ExtendedArray of_labels(std::size_t t) const {
    return {row.of_labels(t), cells.of_labels.data() + t % block * ScaledCells::width(row.S)};
  }
  ExtendedArray next_blanks() const { return {row.cells.next.data(), cells.next.data()}; }
  ExtendedArray next_labels() const {
    return next_blanks() + static_cast<std::ptrdiff_t>(ScaledCells::width(row.S) + 8);
  }
  /// y(t) of each class, for the current block of frames.
  ExtendedArray y(std::size_t t) const {
    double* mantissas = cells.emissions.data() + 2 * (t % block) * emission_stride(row.K);
    return {mantissas, mantissas + emission_stride(row.K)};
  }
};

/// exp(a) 2^-k0 scale for |a| <= 2^20, and zero for a = -inf; within the 3 u of metal/cpu/simd/exponential.h and one
/// rounding.
ASSAY_INLINE ExtendedLanes extended_exponential(Lanes a, const Normalizer& normalizer) {
  HalfExponential begun(max(a, all(-0x1p20)));
  const Lanes n = (begun.whole - all(nearest_whole)) - all(steps * normalizer.k0);
  const Lanes exponent = (n * all(0x1p-9 / steps) + all(nearest_whole)) - all(nearest_whole);
  begun.whole = (n - exponent * all(512.0 * steps)) + all(nearest_whole);
  const ExtendedLanes y = normalized(begun.rest() * all(normalizer.scale), exponent);
  const auto possible = greater(a, all(-__builtin_inf()));
  return {where(possible, y.mantissa, all(0.0)), where(possible, y.exponent, all(never))};
}

/// y(t) of each class, then zeros. Activations that are too large for the lanes go one by one.
template <class Real>
void take_emissions(const Row<Real>& of, const ExtendedRow& to, const States& states, const Normalizer& normalizer,
                    std::size_t t) {
  const Real* frame = of.activations(t);
  const ExtendedArray y = to.y(t);
  bool are_usual = normalizer.shift == 0.0F;
  for (std::size_t k = 0; k < emission_stride(to.row.K); ++k) {
    const float a = k < to.row.K ? static_cast<float>(frame[states.classes.data()[k]]) : -__builtin_inff();
    are_usual &= __builtin_fabsf(a) <= 0x1p20F || a < -__FLT_MAX__;
    y.mantissa[k] = a;
  }
  if (are_usual) {
    for (std::size_t k = 0; k < to.row.K + 1; k += lanes)
      store(y, k, extended_exponential(load(y.mantissa + k), normalizer));
    return;
  }
  const Extended scale = cpu::extended({-normalizer.k0, normalizer.scale});
  for (std::size_t k = 0; k < emission_stride(to.row.K); ++k) {
    const Extended one_y = cpu::exponential(static_cast<float>(y.mantissa[k]), normalizer.shift) * scale;
    y.mantissa[k] = one_y.mantissa;
    y.exponent[k] = one_y.is_zero() ? never : one_y.exponent;
  }
}

/// y of each class and of each label in the frames of the block that begins at t.
template <class Real>
void take_block(const Row<Real>& of, const ExtendedRow& to, const States& states, const Normalizer* normalizers,
                std::size_t t) {
  const std::size_t last = last_of_block(to.row, t);
  for (std::size_t f = t; f <= last; ++f) take_emissions(of, to, states, normalizers[f], f);
  gather_labels(
      to.row, t, [&](std::size_t f) ASSAY_INLINE_LAMBDA { return to.y(f).mantissa; },
      [&](std::size_t f) ASSAY_INLINE_LAMBDA { return to.of_labels(f).mantissa; });
  gather_labels(
      to.row, t, [&](std::size_t f) ASSAY_INLINE_LAMBDA { return to.y(f).exponent; },
      [&](std::size_t f) ASSAY_INLINE_LAMBDA { return to.of_labels(f).exponent; });
}

}  // namespace assay::metal::cpu::ASSAY_SIMD
