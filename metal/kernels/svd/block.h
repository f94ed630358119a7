// For more columns than fit in a threadgroup. The round robin is over blocks of 16 columns, with a dispatch for each
// step. A threadgroup holds two blocks, 32 columns, and has 32 threads for each of 16 pairs. A sweep rotates every pair
// of columns once (schedule.h).
#pragma once

#include "rotation.h"

namespace assay {
namespace svd {

/// Whether `is_one` holds for any thread of the group. All threads of the group must call it, and a barrier must
/// separate the call from earlier reads of `parts`.
inline bool any_of_group(bool is_one, threadgroup Parts<uint>& parts, Place place) {
  const bool is_any = simd_any(is_one);
  if (place.lane == 0) parts.at[place.simdgroup] = is_any;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  uint any = 0;
  for (uint n = 0; n < place.simdgroups(); ++n) any |= parts.at[n];
  return any != 0;
}

[[host_name("svd_block_rotate"), max_total_threads_per_threadgroup(512)]] kernel void block_rotate(
    constant Shape& shape [[buffer(shape_index)]], device float* work [[buffer(work_index)]],
    device float* rotations [[buffer(rotations_index)]], device const uint* status [[buffer(status_index)]],
    device uint* rotated [[buffer(rotated_index)]], uint2 group [[threadgroup_position_in_grid]],
    uint2 groups [[threadgroups_per_grid]], uint thread_index [[thread_index_in_threadgroup]],
    uint2 thread_count [[threads_per_threadgroup]], uint simdgroup [[simdgroup_index_in_threadgroup]],
    uint lane [[thread_index_in_simdgroup]]) {
  threadgroup Parts<uint> parts;
  if (status[group.y] != not_converged) return;
  const Place place = {thread_index, thread_count.x, simdgroup, lane};
  const bool is_first = shape.step == 0;
  const ColumnPair blocks = round_robin(shape.padded / block_width, shape.step, group.x);
  bool is_rotated = false;
  for (uint step = 0; step < inner_steps(block_width, is_first); ++step) {
    const ColumnPair pair = columns_of_blocks(block_width, blocks, inner_pair(block_width, is_first, step, simdgroup));
    if (orthogonalize<block_threads_per_pair>(pair, work_of(work, group.y, shape),
                                              rotations_of(rotations, group.y, shape), shape.columns, lane))
      is_rotated = true;
    threadgroup_barrier(mem_flags::mem_device);
  }
  const bool is_any = any_of_group(is_rotated, parts, place);
  device uint* const count = rotated + ulong(group.y) * groups.x + group.x;
  if (thread_index == 0) *count = (is_first ? 0 : *count) + is_any;
}

}  // namespace svd
}  // namespace assay
