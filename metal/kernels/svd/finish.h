// S, U and Vh from V and W, whose columns are orthogonal.
//
//   S = norms of the columns of W / 2^e, descending;   U = columns / norms;   signs as in reference/svd/problem.h
//
// Columns whose norm counts as 0 (interface.h) have no direction. U is completed to orthonormal columns by the unit
// vectors that are furthest from the known columns, each made orthogonal to them in two passes of Gram-Schmidt
// ("twice is enough": L. Giraud, J. Langou and M. Rozloznik, Comput. Math. Appl. 50, 2005).
#pragma once

#include "columns.h"

namespace assay {
namespace svd {

/// The columns of one matrix, in the order of S.
struct Ordered {
  device float* columns;
  device const uint* order;
  uint length;

  device float* at(uint rank) const { return columns + ulong(order[rank]) * length; }
};

struct Candidate {
  float free;  ///< the squared norm of the unit vector minus its projection on the known columns
  uint row;
};

inline Candidate better(Candidate a, Candidate b) {
  return b.free > a.free || (b.free == a.free && b.row < a.row) ? b : a;
}

/// The best candidate of all lanes, in every lane.
inline Candidate best_of_lanes(Candidate mine) {
  for (ushort distance = 1; distance < lane_count; distance *= 2)
    mine = better(mine, {simd_shuffle_xor(mine.free, distance), simd_shuffle_xor(mine.row, distance)});
  return mine;
}

/// The unit vector that is furthest from the first `known` columns. All threads of the group must call it.
inline uint furthest_row(Ordered U, uint known, threadgroup Parts<Candidate>& parts, Place place) {
  Candidate best = {-1.0f, ~0u};
  for (uint i = place.index; i < U.length; i += place.count) {
    float free = 1.0f;
    for (uint r = 0; r < known; ++r) {
      const float x = U.at(r)[i];
      free = fma(-x, x, free);
    }
    best = better(best, {free, i});
  }
  best = best_of_lanes(best);
  if (place.lane == 0) parts.at[place.simdgroup] = best;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  for (uint n = 0; n < place.simdgroups(); ++n) best = better(best, parts.at[n]);
  return best.row;
}

/// Subtracts from column `known` its projection on the columns before it.
inline void project(Ordered U, uint known, device float* projections, Place place) {
  device float* const x = U.at(known);
  for (uint r = place.simdgroup; r < known; r += place.simdgroups()) {
    float sum = 0.0f;
    for (uint i = place.lane; i < U.length; i += lane_count) sum = fma(U.at(r)[i], x[i], sum);
    sum = simdgroup_sum(sum);
    if (place.lane == 0) projections[r] = sum;
  }
  threadgroup_barrier(mem_flags::mem_device);
  for (uint i = place.index; i < U.length; i += place.count) {
    float sum = 0.0f;
    for (uint r = 0; r < known; ++r) sum = fma(projections[r], U.at(r)[i], sum);
    x[i] -= sum;
  }
  threadgroup_barrier(mem_flags::mem_device);
}

/// Computes column `known` of U, orthonormal to those before it.
inline void complete(Ordered U, uint known, device float* projections, threadgroup Parts<Candidate>& parts,
                     Place place) {
  device float* const x = U.at(known);
  const uint row = furthest_row(U, known, parts, place);
  for (uint i = place.index; i < U.length; i += place.count) x[i] = i == row ? 1.0f : 0.0f;
  threadgroup_barrier(mem_flags::mem_device);
  for (int pass = 0; pass < 2; ++pass) project(U, known, projections, place);
  const float norm = column_norm(x, U.length, place.lane);
  threadgroup_barrier(mem_flags::mem_device);
  for (uint i = place.index; i < U.length; i += place.count) x[i] /= norm;
  threadgroup_barrier(mem_flags::mem_device | mem_flags::mem_threadgroup);
}

/// Whether the first of the elements of largest magnitude, as stored, is negative. All lanes of a simdgroup must call
/// it.
template <class D>
bool is_to_be_turned(device const float* column, uint length, uint lane) {
  Candidate largest = {-1.0f, ~0u};
  for (uint i = lane; i < length; i += lane_count) largest = better(largest, {fabs(float(D(column[i]))), i});
  return column[best_of_lanes(largest).row] < 0.0f;
}

/// Computes the norms, and replaces W by U.
inline void normalize(device float* work, device float* norms, Shape shape, Place place) {
  for (uint j = place.simdgroup; j < shape.columns; j += place.simdgroups()) {
    device float* const column = work + ulong(j) * shape.rows;
    const float norm = column_norm(column, shape.rows, place.lane);
    if (place.lane == 0) norms[j] = norm;
    for (uint i = place.lane; with_vectors && norm >= min_norm && i < shape.rows; i += lane_count) column[i] /= norm;
  }
}

/// Writes column r of U [M, K] and row r of Vh [K, N] of one matrix, with changed signs if `is_turned`.
template <class D>
void store_vectors(device const float* left, device const float* right, device D* U, device D* Vh, uint r,
                   bool is_turned, Shape shape, uint lane) {
  const uint M = shape.is_wide != 0 ? shape.columns : shape.rows, N = shape.is_wide != 0 ? shape.rows : shape.columns;
  for (uint i = lane; i < M; i += lane_count)
    U[ulong(i) * shape.columns + r] = stored<D>(is_turned ? -left[i] : left[i]);
  for (uint k = lane; k < N; k += lane_count) Vh[ulong(r) * N + k] = stored<D>(is_turned ? -right[k] : right[k]);
}

/// Computes S, the columns of U whose norm does not count as 0, and the order of columns.
inline void order_columns(device float* work, device float* norms, device uint* order, device uint* values,
                          int exponent, Shape shape, Place place) {
  normalize(work, norms, shape, place);
  threadgroup_barrier(mem_flags::mem_device);
  for (uint j = place.index; j < shape.columns; j += place.count) {
    const uint rank = rank_of(j, norms, shape.columns);
    order[rank] = j;
    values[rank] = scaled_bits(norms[j], -exponent);
  }
  threadgroup_barrier(mem_flags::mem_device);
}

template <class D>
kernel void finish(constant Shape& shape [[buffer(shape_index)]], device float* work [[buffer(work_index)]],
                   device float* rotations [[buffer(rotations_index)]],
                   device const int* exponents [[buffer(exponents_index)]],
                   device float* all_norms [[buffer(norms_index)]], device uint* all_orders [[buffer(order_index)]],
                   device float* all_projections [[buffer(projections_index)]], device D* left [[buffer(left_index)]],
                   device uint* values [[buffer(values_index)]], device D* right [[buffer(right_index)]],
                   uint b [[threadgroup_position_in_grid]], uint thread_index [[thread_index_in_threadgroup]],
                   uint thread_count [[threads_per_threadgroup]], uint simdgroup [[simdgroup_index_in_threadgroup]],
                   uint lane [[thread_index_in_simdgroup]]) {
  threadgroup Parts<Candidate> parts;
  const Place place = {thread_index, thread_count, simdgroup, lane};
  const ulong first = ulong(b) * shape.columns;
  device float* const norms = all_norms + first;
  device uint* const order = all_orders + first;
  const Ordered W = {column_of(work, b, 0, shape.rows, shape), order, shape.rows};
  const Ordered V = {column_of(rotations, b, 0, shape.columns, shape), order, shape.columns};
  if (shape.first_rank == 0) order_columns(W.columns, norms, order, values + first, exponents[b], shape, place);
  if (!with_vectors) return;
  uint known = shape.first_rank;
  while (known < shape.end_rank && norms[order[known]] >= min_norm) ++known;
  for (; known < shape.end_rank; ++known) complete(W, known, all_projections + first, parts, place);
  if (shape.end_rank < shape.columns) return;
  const bool is_wide = shape.is_wide != 0;
  const ulong elements = ulong(shape.columns) * shape.columns, long_elements = ulong(shape.rows) * shape.columns;
  device D* const U = left + b * (is_wide ? elements : long_elements);
  device D* const Vh = right + b * (is_wide ? long_elements : elements);
  for (uint r = simdgroup; r < shape.columns; r += place.simdgroups()) {
    device const float* const of_left = is_wide ? V.at(r) : W.at(r);
    const bool is_turned = is_to_be_turned<D>(of_left, (is_wide ? V : W).length, lane);
    store_vectors(of_left, is_wide ? W.at(r) : V.at(r), U, Vh, r, is_turned, shape, lane);
  }
}

}  // namespace svd
}  // namespace assay
