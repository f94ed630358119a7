// The factors of matrix_product.h in threadgroup memory, and their way there from lines of device memory.
#pragma once

#include "../simdgroup.h"
#include "lines.h"

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

/// Four neighbours of a line as bits: a compiler that took them apart would wait for them before the slab that is
/// computed meanwhile.
template <class Element>
using FourBits = conditional_t<sizeof(Element) == 2, uint2, uint4>;

template <class Element>
FourBits<Element> aligned_four_bits(device const Element* line, ulong at) {
  return *(device const FourBits<Element>*)(line + at);
}

template <class Element, uint count>
struct StagedBits {
  FourBits<Element> fours[count];
};

/// An operand whose lines are its rows: line i has the elements k. Rows past the last are copies of it, of which no sum
/// is stored. `rows`: of the tile.
template <class D, class Lines, uint rows = matrix_tile>
class RowFactors {
 public:
  using Element = typename Lines::Element;
  enum { staged_count = rows * slab / 4 / matrix_threads };
  using Staged = StagedBits<Element, staged_count>;

  /// Rows first .. first + rows - 1, of which those below `count` exist.
  RowFactors(Lines lines, uint first, uint count, Shape shape, uint thread_index)
      : is_aligned_(lines.is_aligned(shape)), thread_(thread_index) {
#pragma unroll
    for (uint n = 0; n < staged_count; ++n) lines_[n] = lines.line(min(first + row(n), count - 1), shape);
  }

  /// The elements k .. k + slab - 1, of which those below `end` exist.
  Staged fetch(ulong k, ulong end) const {
    Staged staged;
    if (is_aligned_ && k + slab <= end) {
#pragma unroll
      for (uint n = 0; n < staged_count; ++n) staged.fours[n] = aligned_four_bits(lines_[n], k + column());
    } else {
#pragma unroll
      for (uint n = 0; n < staged_count; ++n)
        staged.fours[n] = as_type<FourBits<Element>>(load_four(lines_[n], k + column(), end, is_aligned_));
    }
    return staged;
  }

  void store(Staged staged, threadgroup D* to) const {
#pragma unroll
    for (uint n = 0; n < staged_count; ++n)
      *(threadgroup Four<D>*)(to + place_of_factor(row(n), column())) =
          Four<D>(float4(as_type<Four<Element>>(staged.fours[n])));
  }

 private:
  enum { line_fours = slab / 4 };

  uint row(uint n) const { return thread_ / line_fours + n * (rows / staged_count); }
  uint column() const { return thread_ % line_fours * 4; }

  device const Element* lines_[staged_count];
  bool is_aligned_;
  uint thread_;
};

/// An operand whose lines are its columns: line k has the elements i. A thread has two neighbouring lines of four rows,
/// twice.
template <class D, class Lines>
class ColumnFactors {
 public:
  using Element = typename Lines::Element;
  enum { staged_count = matrix_tile * slab / 4 / matrix_threads };
  using Staged = StagedBits<Element, staged_count>;

  /// Rows first .. first + matrix_tile - 1, of which those below `count` exist.
  ColumnFactors(Lines lines, ulong first, ulong count, Shape shape, uint thread_index)
      : lines_(lines), shape_(shape), first_(first), count_(count), thread_(thread_index) {}

  /// The elements k .. k + slab - 1, of which those below `end` exist.
  Staged fetch(ulong k, ulong end) const {
    Staged staged;
    const bool is_aligned = lines_.is_aligned(shape_);
    if (is_aligned && first_ + matrix_tile <= count_ && k + slab <= end) {
#pragma unroll
      for (uint n = 0; n < staged_count; ++n)
        staged.fours[n] = aligned_four_bits(lines_.line(uint(k) + line(n), shape_), first_ + row(n));
    } else {
#pragma unroll
      for (uint n = 0; n < staged_count; ++n) {
        const ulong at = k + line(n);
        staged.fours[n] = FourBits<Element>(0);
        if (at < end)
          staged.fours[n] =
              as_type<FourBits<Element>>(load_four(lines_.line(uint(at), shape_), first_ + row(n), count_, is_aligned));
      }
    }
    return staged;
  }

  void store(Staged staged, threadgroup D* to) const {
#pragma unroll
    for (uint n = 0; n < staged_count; n += 2) {
      const float4 even = float4(as_type<Four<Element>>(staged.fours[n]));
      const float4 odd = float4(as_type<Four<Element>>(staged.fours[n + 1]));
#pragma unroll
      for (uint i = 0; i < 4; ++i)
        *(threadgroup vec<D, 2>*)(to + place_of_factor(row(n) + i, line(n))) = vec<D, 2>(float2(even[i], odd[i]));
    }
  }

 private:
  /// The slab has sixteen parts of 32 rows and 8 k each; a simdgroup has two of them.
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
