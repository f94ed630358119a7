// One row of the recursions in scaled doubles (scaled.h): its sizes, its memory, and which states of a frame lie on
// some alignment.
#pragma once

#include "metal/cpu/ctc/kernels.h"
#include "metal/cpu/ctc/simd/emissions.h"

namespace assay::metal::cpu::ASSAY_SIMD {

inline constexpr double min_emission = 0x1p-300, max_emission = 0x1p100;
inline constexpr double min_alpha = 0x1p-400, min_total = 0x1p-400;
inline constexpr double min_row = 0x1p-100, max_row = 0x1p100;
inline constexpr int underflow_exponent = -1020, negligible_exponent = -300;

/// The exponent e of 2^e <= x < 2^(e+1), for normal x > 0.
ASSAY_INLINE int exponent(double x) {
  return static_cast<int>(std::bit_cast<std::uint64_t>(x) >> 52U & 0x7ffU) - 1023;
}

ASSAY_INLINE double power_of_two(int exponent) {
  return std::bit_cast<double>(static_cast<std::uint64_t>(exponent + 1023) << 52U);
}

/// The power of two that brings a row with this largest element back to about 1.
inline int rescaling(double highest) {
  return highest >= 0x1p-900 ? -exponent(highest) : highest > 0.0 ? 900 : 0;
}

/// A row is rarely rescaled, so the branch predictor lets the processor go on before its largest element is known.
ASSAY_INLINE bool is_in_range(double highest) {
  return __builtin_expect(static_cast<long>(highest >= min_row && highest <= max_row), 1) != 0;
}

/// The labels and the blanks of frame t that lie on some alignment: reachable, and able to reach the end.
struct Live {
  std::size_t first_label, first_blank, last;

  ASSAY_INLINE Live(std::size_t t, std::size_t T, std::size_t S)
      : first_label(S > T - t ? S - (T - t) : 0), first_blank(S >= T - t ? first_label + 1 : 0), last(S < t ? S : t) {}

  std::size_t begin() const { return first_label / lanes * lanes; }
  std::size_t end() const { return last / lanes * lanes + lanes; }
};

/// The sizes and the memory of one row's recursions.
struct Scaled {
  std::size_t T, S, K;
  std::size_t blank;  ///< its slot
  std::size_t kept;   ///< a mask: all bits, or only the lowest where two rows of alpha alternate
  const double* emissions;
  const Normalizer* normalizers;
  ScaledCells cells;

  /// y(t) of each class, but for the factor y_scale(t).
  const double* y(std::size_t t) const { return emissions + t * emission_stride(K); }
  double y_scale(std::size_t t) const { return normalizers[t].scale; }
  double* blanks(std::size_t row) const { return cells.alpha.data() + (row & kept) * ScaledCells::stride(S); }
  double* labels(std::size_t row) const { return blanks(row) + ScaledCells::width(S) + 8; }
  /// y(t) of each label, and later alpha(t) beta(t) of each, for the current block of frames.
  double* of_labels(std::size_t t) const { return cells.of_labels.data() + t % block * ScaledCells::width(S); }
  /// N(t) of each class, for the current block of frames.
  double* numerators(std::size_t t) const { return cells.numerators.data() + t % block * emission_stride(K); }
  /// The sum of alpha(t) beta(t) over all states.
  double total(std::size_t t) const { return cells.blank_totals.data()[t] + cells.label_totals.data()[t]; }
  double* next_blanks() const { return cells.next.data(); }
  double* next_labels() const { return cells.next.data() + ScaledCells::width(S) + 8; }
};

inline void expand(const Scaled& row, const States& states) {
  const std::size_t width = ScaledCells::width(row.S);
  const std::size_t* slots = states.slots.data();
  const bool* skips = states.skips.data();
  for (std::size_t i = 0; i < width; ++i) row.cells.slots.data()[i] = i < row.S ? slots[2 * i + 1] : row.K;
  for (std::size_t k = 0; k < emission_stride(row.K); ++k) row.cells.occurs.data()[k] = 0.0;
  for (std::size_t i = 0; i < 2 * row.S + 1; ++i) row.cells.occurs.data()[slots[i]] = 1.0;
  for (std::size_t i = 0; i < width + 8; ++i) row.cells.skips.data()[i] = i < row.S && skips[2 * i + 1] ? 1.0 : 0.0;
}

ASSAY_INLINE void set_zero(double* cells) {
  store(cells, all(0.0));
}

}  // namespace assay::metal::cpu::ASSAY_SIMD
