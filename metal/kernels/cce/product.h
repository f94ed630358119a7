// A tile of a product of two matrices: 64 by 64 sums over k of left(i, k) right(j, k).
//
// Elements are copied to threadgroup memory in slabs of 32 k, as floats, with zeros past the edges. A thread keeps 8 by
// 4 sums in registers. The products of a slab are added from 0, and their sums in order: short sums have small errors,
// and the fixed order gives equal bits on every device. The order within a product of simdgroup matrices is the
// hardware's, so none are used.
#pragma once

#include "../simdgroup.h"
#include "lines.h"

namespace assay {
namespace cce {

enum { line_fours = slab / 4, tile_fours = tile / 4, staged_fours = tile * slab / 4 / product_threads };

/// Both operands of a slab, by k and then by row.
struct alignas(16) Slabs {
  float left[slab * tile];
  float right[slab * tile];
};

/// Where a slab has row i of k. Every four k exchange fours of rows, so that a simdgroup that stores four k of eight
/// lines and one that loads rows both go to 32 different memory banks.
inline uint place_in_slab(uint k, uint i) {
  return k * tile + (i ^ k / 4 * 4);
}

/// A thread's elements of one operand of a slab, four neighbours of a line each.
template <class D>
struct Staged {
  Four<D> fours[staged_fours];
};

/// An operand whose lines are its rows: line i has the elements k. Rows past the last are copies of it, of which no sum
/// is stored.
template <class Lines>
class RowOperand {
 public:
  using Element = typename Lines::Element;

  /// Rows first .. first + tile - 1, of which those below `count` exist.
  RowOperand(Lines lines, uint first, uint count, Shape shape, uint thread_index)
      : is_aligned_(lines.is_aligned(shape)), thread_(thread_index) {
#pragma unroll
    for (uint n = 0; n < staged_fours; ++n) lines_[n] = lines.line(min(first + row(n), count - 1), shape);
  }

  /// The elements k .. k + slab - 1, of which those below `end` exist.
  Staged<Element> fetch(ulong k, ulong end) const {
    Staged<Element> staged;
    if (is_aligned_ && k + slab <= end) {
#pragma unroll
      for (uint n = 0; n < staged_fours; ++n) staged.fours[n] = aligned_four(lines_[n], k + column());
    } else {
#pragma unroll
      for (uint n = 0; n < staged_fours; ++n) staged.fours[n] = load_four(lines_[n], k + column(), end, is_aligned_);
    }
    return staged;
  }

  void store(Staged<Element> staged, threadgroup float* to) const {
#pragma unroll
    for (uint n = 0; n < staged_fours; ++n) {
      const float4 elements = float4(staged.fours[n]);
#pragma unroll
      for (uint k = 0; k < 4; ++k) to[place_in_slab(column() + k, row(n))] = elements[k];
    }
  }

 private:
  uint row(uint n) const { return thread_ / line_fours + n * (tile / staged_fours); }
  uint column() const { return thread_ % line_fours * 4; }

  device const Element* lines_[staged_fours];
  bool is_aligned_;
  uint thread_;
};

/// An operand whose lines are its columns: line k has the elements i.
template <class Lines>
class ColumnOperand {
 public:
  using Element = typename Lines::Element;

  /// Rows first .. first + tile - 1, of which those below `count` exist.
  ColumnOperand(Lines lines, ulong first, ulong count, Shape shape, uint thread_index)
      : lines_(lines), shape_(shape), first_(first), count_(count), thread_(thread_index) {}

  Staged<Element> fetch(ulong k, ulong end) const {
    Staged<Element> staged;
    const bool is_aligned = lines_.is_aligned(shape_);
    if (is_aligned && first_ + tile <= count_ && k + slab <= end) {
#pragma unroll
      for (uint n = 0; n < staged_fours; ++n)
        staged.fours[n] = aligned_four(lines_.line(uint(k) + line(n), shape_), first_ + row());
    } else {
#pragma unroll
      for (uint n = 0; n < staged_fours; ++n) {
        const ulong at = k + line(n);
        staged.fours[n] = Four<Element>(Element(0.0f));
        if (at < end) staged.fours[n] = load_four(lines_.line(uint(at), shape_), first_ + row(), count_, is_aligned);
      }
    }
    return staged;
  }

  void store(Staged<Element> staged, threadgroup float* to) const {
#pragma unroll
    for (uint n = 0; n < staged_fours; ++n)
      *(threadgroup float4*)(to + place_in_slab(line(n), row())) = float4(staged.fours[n]);
  }

 private:
  uint row() const { return thread_ % tile_fours * 4; }
  uint line(uint n) const { return thread_ / tile_fours + n * (slab / staged_fours); }

  Lines lines_;
  Shape shape_;
  ulong first_, count_;
  uint thread_;
};

/// The sums of one thread: rows row_of_sum(0 .. 7) and four neighbouring columns of the tile.
struct Sums {
  float4 rows[8];
};

/// A simdgroup has 32 rows and 32 columns of the tile; a lane has two times four neighbouring rows of these. Lanes that
/// differ in their lowest bit have the same rows, and in their second bit the same columns: NVIDIA's GPUs then load
/// four floats for sixteen lanes at once.
struct SumPlace {
  uint row, column;

  uint row_of_sum(uint n) const { return row + n % 4 + n / 4 * 16; }
};

inline SumPlace sum_place(uint thread_index) {
  const uint simdgroup = thread_index / lane_count, lane = thread_index % lane_count;
  return {simdgroup % 2 * 32 + lane / 2 % 2 * 4 + lane / 16 * 8, simdgroup / 2 * 32 + lane % 2 * 4 + lane / 4 % 4 * 8};
}

inline float4 load_rows(threadgroup const float* slab_of, uint k, uint i) {
  return *(threadgroup const float4*)(slab_of + place_in_slab(k, i));
}

/// Adds the products of one slab. The loops are unrolled, because registers cannot be indexed.
inline void add_slab(thread Sums& sums, threadgroup const Slabs& slabs, SumPlace place) {
  Sums products = {};
#pragma unroll
  for (uint k = 0; k < slab; ++k) {
    const float4 upper = load_rows(slabs.left, k, place.row), lower = load_rows(slabs.left, k, place.row + 16);
    const float4 right = load_rows(slabs.right, k, place.column);
#pragma unroll
    for (uint r = 0; r < 4; ++r) {
      products.rows[r] = fma(float4(upper[r]), right, products.rows[r]);
      products.rows[r + 4] = fma(float4(lower[r]), right, products.rows[r + 4]);
    }
  }
#pragma unroll
  for (uint r = 0; r < 8; ++r) sums.rows[r] += products.rows[r];
}

/// `sums` plus the products over `count` k. The next slab is loaded while one is computed. Threads without an element
/// (`is_inside`) load and store with the others. All threads of the group must call it.
template <class Left, class Right>
Sums add_products(Sums sums, Left left, Right right, ulong count, bool is_inside, threadgroup Slabs& slabs,
                  uint thread_index) {
  const SumPlace place = sum_place(thread_index);
  Staged<typename Left::Element> of_left = left.fetch(0, count);
  Staged<typename Right::Element> of_right = right.fetch(0, count);
  for (ulong k = 0; k < count; k += slab) {
    left.store(of_left, slabs.left);
    right.store(of_right, slabs.right);
    threadgroup_barrier(mem_flags::mem_threadgroup);
    of_left = left.fetch(k + slab, count);
    of_right = right.fetch(k + slab, count);
    if (is_inside) add_slab(sums, slabs, place);
    threadgroup_barrier(mem_flags::mem_threadgroup);
  }
  return sums;
}

}  // namespace cce
}  // namespace assay
