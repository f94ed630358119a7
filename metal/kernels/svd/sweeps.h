// Some sweeps of a matrix in one dispatch. A threadgroup rotates all pairs of a step at the same time, with `width`
// threads per pair. The width is a template parameter, because a loop with a constant stride can be unrolled.
//
//   W, V  ->  W with orthogonal columns, V;   status [B]
#pragma once

#include "rotation.h"

namespace assay {
namespace svd {

/// Rotates every pair once if necessary. Returns whether any was rotated. Threads past the last pair have a pair of
/// columns that do not exist.
template <int width, class Work, class Rotations>
bool sweep(Columns<Work> work, Columns<Rotations> rotations, Shape shape, Place place) {
  const uint pair = place.index / width, lane = place.index % width;
  bool is_rotated = false;
  for (uint step = 0; step < shape.padded - 1; ++step) {
    const ColumnPair columns =
        pair < shape.padded / 2 ? round_robin(shape.padded, step, pair) : ColumnPair{shape.padded, shape.padded};
    if (orthogonalize<width>(columns, work, rotations, shape.columns, lane)) is_rotated = true;
    threadgroup_barrier(mem_flags::mem_device | mem_flags::mem_threadgroup);
  }
  return is_rotated;
}

/// The number of sweeps until one rotates nothing, those of earlier dispatches included, or not_converged. `parts`: for
/// each simdgroup whether it has rotated anything. They lie in device memory, because W and V may fill the threadgroup
/// memory. They are not written again before all threads have read them, because there are barriers in a sweep.
template <int width, class Work, class Rotations>
uint sweeps_of(Columns<Work> work, Columns<Rotations> rotations, Shape shape, device uint* parts, Place place) {
  for (uint n = 1; n <= shape.sweeps; ++n) {
    const bool is_any = simd_any(sweep<width>(work, rotations, shape, place));
    if (place.lane == 0) parts[place.simdgroup] = is_any;
    threadgroup_barrier(mem_flags::mem_device);
    uint any = 0;
    for (uint k = 0; k < place.simdgroups(); ++k) any |= parts[k];
    if (any == 0) return shape.sweep + n;
  }
  return not_converged;
}

/// The words of matrix b in `projections`, of which there are at least as many as simdgroups. svd_finish uses them
/// later.
inline device uint* parts_of(device uint* projections, uint b, Shape shape) {
  return projections + ulong(b) * shape.columns;
}

template <int width>
[[max_total_threads_per_threadgroup(1024)]] kernel void sweeps(
    constant Shape& shape [[buffer(shape_index)]], device float* work [[buffer(work_index)]],
    device float* rotations [[buffer(rotations_index)]], device uint* projections [[buffer(projections_index)]],
    device uint* status [[buffer(status_index)]], uint b [[threadgroup_position_in_grid]],
    uint thread_index [[thread_index_in_threadgroup]], uint thread_count [[threads_per_threadgroup]],
    uint simdgroup [[simdgroup_index_in_threadgroup]], uint lane [[thread_index_in_simdgroup]]) {
  if (status[b] != not_converged) return;
  const Place place = {thread_index, thread_count, simdgroup, lane};
  const uint done = sweeps_of<width>(work_of(work, b, shape), rotations_of(rotations, b, shape), shape,
                                     parts_of(projections, b, shape), place);
  if (thread_index == 0) status[b] = done;
}

/// Copies `count` columns. A simdgroup copies a column at a time.
template <class From, class To>
void copy(Columns<From> from, Columns<To> to, uint count, Place place) {
  for (uint j = place.simdgroup; j < count; j += place.simdgroups())
    for (uint i = place.lane; i < from.length; i += lane_count) to.at(j)[i] = from.at(j)[i];
}

/// With W in threadgroup memory, and V too if shares_rotations. `shared`: padded * shared_stride(rows) floats, and
/// padded * shared_stride(columns) more for V.
template <int width>
[[max_total_threads_per_threadgroup(1024)]] kernel void sweeps_threadgroup(
    constant Shape& shape [[buffer(shape_index)]], device float* work [[buffer(work_index)]],
    device float* rotations [[buffer(rotations_index)]], device uint* projections [[buffer(projections_index)]],
    device uint* status [[buffer(status_index)]], threadgroup float* shared [[threadgroup(0)]],
    uint b [[threadgroup_position_in_grid]], uint thread_index [[thread_index_in_threadgroup]],
    uint thread_count [[threads_per_threadgroup]], uint simdgroup [[simdgroup_index_in_threadgroup]],
    uint lane [[thread_index_in_simdgroup]]) {
  if (status[b] != not_converged) return;
  const Place place = {thread_index, thread_count, simdgroup, lane};
  const Columns<device float*> W = work_of(work, b, shape), V = rotations_of(rotations, b, shape);
  const Columns<threadgroup float*> shared_W = shared_columns(shared, shape.rows);
  const Columns<threadgroup float*> shared_V = shared_columns(shared + shape.padded * shared_W.stride, shape.columns);
  copy(W, shared_W, shape.padded, place);
  if (shares_rotations) copy(V, shared_V, shape.padded, place);
  threadgroup_barrier(mem_flags::mem_threadgroup);
  device uint* const parts = parts_of(projections, b, shape);
  const uint done = shares_rotations ? sweeps_of<width>(shared_W, shared_V, shape, parts, place)
                                     : sweeps_of<width>(shared_W, V, shape, parts, place);
  copy(shared_W, W, shape.padded, place);
  if (shares_rotations) copy(shared_V, V, shape.padded, place);
  if (thread_index == 0) status[b] = done;
}

}  // namespace svd
}  // namespace assay
