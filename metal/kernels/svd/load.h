// W = 2^e A with its columns sorted by their norms, largest first, and the V that sorts them.
//
//   A [B, M, N] of D  ->  W [B, padded, rows], V [B, padded, columns], e [B], status [B]
//
// Sorted columns take fewer sweeps if norms differ much, and graded columns keep more digits (de Rijk, SIAM J. Sci.
// Stat. Comput. 10, 1989). Sorting again at each rotation took 50% more sweeps, because it disturbs the order of the
// round robin.
#pragma once

#include "columns.h"

namespace assay {
namespace svd {

/// A matrix, transposed if it has fewer rows than columns.
template <class D>
struct Tall {
  device const D* elements;
  ulong row_stride, column_stride;

  D at(uint i, uint j) const { return elements[i * row_stride + j * column_stride]; }
};

template <class D>
Tall<D> tall_matrix(device const D* matrices, ulong b, Shape shape) {
  device const D* const elements = matrices + b * shape.rows * shape.columns;
  if (shape.is_wide != 0) return {elements, 1, shape.rows};
  return {elements, shape.columns, 1};
}

/// The bits of the largest magnitude. All threads of the group must call it.
template <class D>
uint largest_bits(device const D* elements, ulong count, threadgroup Parts<uint>& parts, Place place) {
  uint largest = 0;
  for (ulong e = place.index; e < count; e += place.count) largest = max(largest, magnitude_bits(elements[e]));
  largest = simd_max(largest);
  if (place.lane == 0) parts.at[place.simdgroup] = largest;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  for (uint n = 0; n < place.simdgroups(); ++n) largest = max(largest, parts.at[n]);
  return largest;
}

/// The norm of a column of A times 2^power, accurate enough for sorting.
template <class D>
float scaled_norm(Tall<D> matrix, uint j, int power, uint rows, uint lane) {
  float sum = 0.0f;
  for (uint i = lane; i < rows; i += lane_count) {
    const float x = scaled(matrix.at(i, j), power);
    sum = fma(x, x, sum);
  }
  return precise::sqrt(simdgroup_sum(sum));
}

/// Writes column `to` of W and V, from column `from` of A; zeros past the last column.
template <class D>
void load_column(Tall<D> matrix, uint from, uint to, int power, device float* work, device float* rotations,
                 Shape shape, uint lane) {
  const bool is_column = to < shape.columns;
  for (uint i = lane; i < shape.rows; i += lane_count)
    work[ulong(to) * shape.rows + i] = is_column ? scaled(matrix.at(i, from), power) : 0.0f;
  for (uint i = lane; with_vectors && i < shape.columns; i += lane_count)
    rotations[ulong(to) * shape.columns + i] = is_column && i == from ? 1.0f : 0.0f;
}

template <class D>
kernel void load(constant Shape& shape [[buffer(shape_index)]], device const D* matrices [[buffer(matrices_index)]],
                 device float* work [[buffer(work_index)]], device float* rotations [[buffer(rotations_index)]],
                 device int* exponents [[buffer(exponents_index)]], device float* all_norms [[buffer(norms_index)]],
                 device uint* all_orders [[buffer(order_index)]], device uint* status [[buffer(status_index)]],
                 uint b [[threadgroup_position_in_grid]], uint thread_index [[thread_index_in_threadgroup]],
                 uint thread_count [[threads_per_threadgroup]], uint simdgroup [[simdgroup_index_in_threadgroup]],
                 uint lane [[thread_index_in_simdgroup]]) {
  threadgroup Parts<uint> parts;
  const Place place = {thread_index, thread_count, simdgroup, lane};
  const Tall<D> matrix = tall_matrix(matrices, b, shape);
  device float* const norms = all_norms + ulong(b) * shape.columns;
  device uint* const order = all_orders + ulong(b) * shape.columns;
  const uint largest = largest_bits(matrix.elements, ulong(shape.rows) * shape.columns, parts, place);
  const int power = largest == 0 ? 0 : shape.top - 1 - magnitude_of<D>(largest).exponent;
  if (thread_index == 0) exponents[b] = power;
  if (thread_index == 0) status[b] = not_converged;
  for (uint j = simdgroup; j < shape.columns; j += place.simdgroups()) {
    const float norm = scaled_norm(matrix, j, power, shape.rows, lane);
    if (lane == 0) norms[j] = norm;
  }
  threadgroup_barrier(mem_flags::mem_device);
  for (uint j = thread_index; j < shape.columns; j += thread_count) order[rank_of(j, norms, shape.columns)] = j;
  threadgroup_barrier(mem_flags::mem_device);
  for (uint j = simdgroup; j < shape.padded; j += place.simdgroups())
    load_column(matrix, j < shape.columns ? order[j] : 0, j, power, column_of(work, b, 0, shape.rows, shape),
                column_of(rotations, b, 0, shape.columns, shape), shape, lane);
}

}  // namespace svd
}  // namespace assay
