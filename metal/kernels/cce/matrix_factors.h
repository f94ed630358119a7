// The factors of matrix_product.h in threadgroup memory, and their way there from lines of device memory.
#pragma once

#include "product.h"

namespace assay {
namespace cce {

/// Blocks of 8 rows by 8 k, row by row. What lies between blocks spreads those that a simdgroup stores at once over all
/// memory banks.
enum {
  factor_block = 8,
  factor_block_pitch = 72,
  factor_slice_pitch = matrix_tile / factor_block * factor_block_pitch + 16,  // of 8 k
};

/// Both operands of a slab.
template <class D>
struct alignas(16) Factors {
  D left[slab / factor_block * factor_slice_pitch];
  D right[slab / factor_block * factor_slice_pitch];
};

inline uint place_of_factor(uint i, uint k) {
  return k / 8 * factor_slice_pitch + i / 8 * factor_block_pitch + i % 8 * 8 + k % 8;
}

/// An operand whose lines are its rows.
template <class D, class Lines>
class RowFactors : public RowOperand<Lines, matrix_tile> {
 public:
  using RowOperand<Lines, matrix_tile>::RowOperand;

  void store_factors(Staged<typename Lines::Element> staged, threadgroup D* to) const {
#pragma unroll
    for (uint n = 0; n < staged_fours; ++n)
      *(threadgroup Four<D>*)(to + place_of_factor(this->row(n), this->column())) = Four<D>(float4(staged.fours[n]));
  }
};

/// An operand whose lines are its columns. A thread has two neighbouring lines of four rows, twice.
template <class D, class Lines>
class ColumnFactors {
 public:
  using Element = typename Lines::Element;

  /// Rows first .. first + matrix_tile - 1, of which those below `count` exist.
  ColumnFactors(Lines lines, ulong first, ulong count, Shape shape, uint thread_index)
      : lines_(lines), shape_(shape), first_(first), count_(count), thread_(thread_index) {}

  /// The elements k .. k + slab - 1, of which those below `end` exist.
  Staged<Element> fetch(ulong k, ulong end) const {
    Staged<Element> staged;
    const bool is_aligned = lines_.is_aligned(shape_);
#pragma unroll
    for (uint n = 0; n < staged_fours; ++n) {
      const ulong at = k + line(n);
      staged.fours[n] = Four<Element>(Element(0.0f));
      if (at < end) staged.fours[n] = load_four(lines_.line(uint(at), shape_), first_ + row(n), count_, is_aligned);
    }
    return staged;
  }

  void store_factors(Staged<Element> staged, threadgroup D* to) const {
#pragma unroll
    for (uint n = 0; n < staged_fours; n += 2) {
      const float4 even = float4(staged.fours[n]), odd = float4(staged.fours[n + 1]);
#pragma unroll
      for (uint i = 0; i < 4; ++i)
        *(threadgroup vec<D, 2>*)(to + place_of_factor(row(n) + i, line(n))) = vec<D, 2>(float2(even[i], odd[i]));
    }
  }

 private:
  /// Of sixteen parts of the slab, 32 rows and 8 k each, which a simdgroup has two of.
  uint part(uint n) const { return thread_ / lane_count * 2 + n / 2; }
  uint row(uint n) const { return part(n) / 4 * 32 + thread_ % 8 * 4; }
  uint line(uint n) const { return part(n) % 4 * 8 + thread_ % lane_count / 8 * 2 + n % 2; }

  Lines lines_;
  Shape shape_;
  ulong first_, count_;
  uint thread_;
};

}  // namespace cce
}  // namespace assay
