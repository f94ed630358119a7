// All sweeps of a matrix in one dispatch. A threadgroup rotates all pairs of a step at the same time, with `width`
// threads per pair. The width is a template parameter, because a loop with a constant stride can be unrolled.
//
//   W, V  ->  W with orthogonal columns, V;   status [B]
#pragma once

#include "rotation.h"

namespace assay {
namespace svd {

/// Rotates every pair once if necessary. Returns whether any was rotated.
template <int width, class Column>
bool sweep(Column work, device float* rotations, Shape shape, Place place) {
  const uint pair = place.index / width, lane = place.index % width;
  bool is_rotated = false;
  for (uint step = 0; step < shape.padded - 1; ++step) {
    const ColumnPair columns = round_robin(shape.padded, step, pair);
    if (orthogonalize<width>(columns, work, rotations, shape, lane)) is_rotated = true;
    threadgroup_barrier(mem_flags::mem_device | mem_flags::mem_threadgroup);
  }
  return is_rotated;
}

/// The number of sweeps until one rotates nothing, or not_converged after max_sweeps. The threads exchange whether
/// anything was rotated once per sweep, in two variables by turns: while a slow thread still reads one of them, only
/// the other is written.
template <int width, class Column>
uint sweeps_of(Column work, device float* rotations, Shape shape, threadgroup Parts<uint>* parts, Place place) {
  for (uint n = 1; n <= shape.max_sweeps; ++n) {
    const bool is_rotated = sweep<width>(work, rotations, shape, place);
    if (!any_of_group(is_rotated, parts[n % 2], place)) return n;
  }
  return not_converged;
}

template <int width>
[[max_total_threads_per_threadgroup(1024)]] kernel void sweeps(
    constant Shape& shape [[buffer(shape_index)]], device float* work [[buffer(work_index)]],
    device float* rotations [[buffer(rotations_index)]], device uint* status [[buffer(status_index)]],
    uint b [[threadgroup_position_in_grid]], uint thread_index [[thread_index_in_threadgroup]],
    uint thread_count [[threads_per_threadgroup]], uint simdgroup [[simdgroup_index_in_threadgroup]],
    uint lane [[thread_index_in_simdgroup]]) {
  threadgroup Parts<uint> parts[2];
  const Place place = {thread_index, thread_count, simdgroup, lane};
  const uint done = sweeps_of<width>(column_of(work, b, 0, shape.rows, shape),
                                     column_of(rotations, b, 0, shape.columns, shape), shape, parts, place);
  if (thread_index == 0) status[b] = done;
}

/// With W, at most shared_elements, in threadgroup memory.
template <int width>
[[max_total_threads_per_threadgroup(1024)]] kernel void sweeps_threadgroup(
    constant Shape& shape [[buffer(shape_index)]], device float* work [[buffer(work_index)]],
    device float* rotations [[buffer(rotations_index)]], device uint* status [[buffer(status_index)]],
    uint b [[threadgroup_position_in_grid]], uint thread_index [[thread_index_in_threadgroup]],
    uint thread_count [[threads_per_threadgroup]], uint simdgroup [[simdgroup_index_in_threadgroup]],
    uint lane [[thread_index_in_simdgroup]]) {
  threadgroup Parts<uint> parts[2];
  threadgroup float shared[shared_elements];
  const Place place = {thread_index, thread_count, simdgroup, lane};
  device float* const matrix = column_of(work, b, 0, shape.rows, shape);
  const uint elements = shape.rows * shape.padded;
  for (uint e = thread_index; e < elements; e += thread_count) shared[e] = matrix[e];
  threadgroup_barrier(mem_flags::mem_threadgroup);
  threadgroup float* const columns = shared;
  const uint done = sweeps_of<width>(columns, column_of(rotations, b, 0, shape.columns, shape), shape, parts, place);
  for (uint e = thread_index; e < elements; e += thread_count) matrix[e] = shared[e];
  if (thread_index == 0) status[b] = done;
}

}  // namespace svd
}  // namespace assay
