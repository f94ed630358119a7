// After a sweep of several dispatches: whether it rotated anything.
//
//   rotated [B, groups]  ->  status [B]
#pragma once

#include "../simdgroup.h"
#include "interface.h"

namespace assay {
namespace svd {

[[host_name("svd_settle"), max_total_threads_per_threadgroup(32)]] kernel void settle(
    constant Shape& shape [[buffer(shape_index)]], device uint* status [[buffer(status_index)]],
    device const uint* rotated [[buffer(rotated_index)]], uint b [[threadgroup_position_in_grid]],
    uint lane [[thread_index_in_simdgroup]]) {
  bool is_rotated = false;
  for (uint n = lane; n < shape.groups; n += lane_count)
    if (rotated[ulong(b) * shape.groups + n] != 0) is_rotated = true;
  if (!simd_any(is_rotated) && lane == 0 && status[b] == not_converged) status[b] = shape.sweep + 1;
}

}  // namespace svd
}  // namespace assay
