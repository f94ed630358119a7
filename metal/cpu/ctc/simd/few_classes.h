// y(t) of each label, where y of all classes fits in four registers of AVX-512: two look-ups for eight labels, instead
// of the tables of scaled_block.h, which cost the same for each frame however few its labels are.
#pragma once

#include "metal/cpu/ctc/simd/scaled_row.h"

namespace assay::metal::cpu::ASSAY_SIMD {

/// y(t) of the labels of a row, from what is kept of y and a factor. `few`: of at most few_classes classes, looked up
/// when asked for; else from row.of_labels(t), where gather_labels puts it.
template <bool few>
struct LabelEmissions {
  const double* of_labels;
  Lanes scales;
  ASSAY_INLINE LabelEmissions(const Scaled& row, std::size_t t, double scale)
      : of_labels(row.of_labels(t)), scales(all(scale)) {}
  /// Returns y of the labels from i on, and 0 for lanes past the last label.
  ASSAY_INLINE Lanes from(std::size_t i) const { return load(of_labels + i) * scales; }
};

template <>
struct LabelEmissions<true> {
  const std::uint64_t* slots;
#if ASSAY_SIMD_BYTES == 64
  Lanes y[few_classes / lanes];

  ASSAY_INLINE LabelEmissions(const Scaled& row, std::size_t t, double scale) : slots(row.cells.slots.data()) {
    for (std::size_t i = 0; i < few_classes / lanes; ++i)
      y[i] = i * lanes < row.K ? load(row.y(t) + i * lanes) * all(scale) : all(0.0);
  }

  /// Returns y of the labels from i on, and the y of any class for lanes past the last label.
  ASSAY_INLINE Lanes from(std::size_t i) const {
    const __m512i place = _mm512_loadu_si512(slots + i);
    const __m512d low = _mm512_permutex2var_pd(y[0].part[0], place, y[1].part[0]);
    const __m512d high = _mm512_permutex2var_pd(y[2].part[0], place, y[3].part[0]);
    return {_mm512_mask_mov_pd(low, _mm512_test_epi64_mask(place, _mm512_set1_epi64(16)), high)};
  }
#else
  const double* y;
  Lanes scales;
  ASSAY_INLINE LabelEmissions(const Scaled& row, std::size_t t, double scale)
      : slots(row.cells.slots.data()), y(row.y(t)), scales(all(scale)) {}
  ASSAY_INLINE Lanes from(std::size_t i) const {
    double values[lanes];
    for (std::size_t j = 0; j < lanes; ++j) values[j] = y[slots[i + j]];
    return load(values) * scales;
  }
#endif
};

}  // namespace assay::metal::cpu::ASSAY_SIMD
