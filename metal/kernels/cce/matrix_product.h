// A tile of a product of two matrices of 16-bit elements by matrices of simdgroups: 128 or 64 by 128 sums, in float, over
// k of left(i, k) right(j, k).
//
// Factors are copied to threadgroup memory in slabs of 32 k, rounded to 16 bits, with zeros past the edges. Products of
// 16-bit numbers are exact in float. The order of their sums, and how each is rounded, is the hardware's: bits are the
// same on every call, and not on every device.
#pragma once

#include "matrix_factors.h"

namespace assay {
namespace cce {

/// Two by four simdgroups share the tile: each has half of its rows, and 32 columns.
enum { sum_columns = 32 / factor_block };

template <uint rows>
struct MatrixSums {
  enum { sum_rows = rows / 2 / factor_block };
  simdgroup_float8x8 of[sum_rows][sum_columns];
};

struct MatrixPlace {
  uint row, column;
};

template <uint rows>
MatrixPlace matrix_place(uint thread_index) {
  const uint simdgroup = thread_index / lane_count;
  return {simdgroup % 2 * (rows / 2), simdgroup / 2 * 32};
}

/// Adds the products of one slab. The loops are unrolled, because registers cannot be indexed.
template <class D, uint rows>
void add_factors(thread MatrixSums<rows>& sums, threadgroup const Factors<D>& factors, MatrixPlace place) {
  constexpr uint sum_rows = MatrixSums<rows>::sum_rows;
#pragma unroll
  for (uint k = 0; k < slab; k += factor_block) {
    simdgroup_matrix<D, 8> left[sum_rows], right[sum_columns];
#pragma unroll
    for (uint i = 0; i < sum_rows; ++i)
      simdgroup_load(left[i], factors.left + place_of_factor(place.row + i * factor_block, k), factor_block);
#pragma unroll
    for (uint j = 0; j < sum_columns; ++j)
      simdgroup_load(right[j], factors.right + place_of_factor(place.column + j * factor_block, k), factor_block,
                     ulong2(0, 0), true);
#pragma unroll
    for (uint j = 0; j < sum_columns; ++j)
#pragma unroll
      for (uint i = 0; i < sum_rows; ++i)
        simdgroup_multiply_accumulate(sums.of[i][j], left[i], right[j], sums.of[i][j]);
  }
}

/// The sums over `count` k. The next slab is loaded while one is computed. All threads of the group must call it.
template <class D, uint rows, class Left, class Right>
MatrixSums<rows> matrix_products(Left left, Right right, ulong count, threadgroup Factors<D>& factors,
                                 uint thread_index) {
  const MatrixPlace place = matrix_place<rows>(thread_index);
  MatrixSums<rows> sums;
#pragma unroll
  for (uint i = 0; i < MatrixSums<rows>::sum_rows; ++i)
#pragma unroll
    for (uint j = 0; j < sum_columns; ++j) sums.of[i][j] = make_filled_simdgroup_matrix<float, 8>(0.0f);
  typename Left::Staged of_left = left.fetch(0, count);
  typename Right::Staged of_right = right.fetch(0, count);
  for (ulong k = 0; k < count; k += slab) {
    left.store(of_left, factors.left);
    right.store(of_right, factors.right);
    threadgroup_barrier(mem_flags::mem_threadgroup);
    of_left = left.fetch(k + slab, count);
    of_right = right.fetch(k + slab, count);
    add_factors(sums, factors, place);
    threadgroup_barrier(mem_flags::mem_threadgroup);
  }
  return sums;
}

/// Eight rows of each simdgroup's sums, on their way to device memory.
struct alignas(16) Outgoing {
  float rows[matrix_threads / lane_count][8 * 32];
};

/// Gives the sums to `store(row of the tile, column of the tile, four neighbours)`. All threads of the group must call
/// it.
template <uint rows, class Store>
void store_sums(thread const MatrixSums<rows>& sums, threadgroup Outgoing& outgoing, uint thread_index, Store store) {
  const MatrixPlace place = matrix_place<rows>(thread_index);
  const uint lane = thread_index % lane_count;
  threadgroup float* const eight = outgoing.rows[thread_index / lane_count];
#pragma unroll
  for (uint i = 0; i < MatrixSums<rows>::sum_rows; ++i) {
#pragma unroll
    for (uint j = 0; j < sum_columns; ++j) simdgroup_store(sums.of[i][j], eight + j * 8, 32);
    simdgroup_barrier(mem_flags::mem_threadgroup);
    for (uint n = lane; n < 64; n += lane_count)
      store(place.row + i * 8 + n / 8, place.column + n % 8 * 4, *(threadgroup const float4*)(eight + n * 4));
    simdgroup_barrier(mem_flags::mem_threadgroup);
  }
}

}  // namespace cce
}  // namespace assay
