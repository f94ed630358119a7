// jacobi_rotate, for any number of columns: a threadgroup for each pair of columns of each matrix, a dispatch for each
// step of the round robin.
#pragma once

#include "rotation.h"

namespace assay {
namespace svd {

/// The products of two columns, summed over the whole group.
inline Products group_products(device const float* a, device const float* b, uint rows,
                               threadgroup Parts<Products>& parts, Place place) {
  float a_a = 0.0f, b_b = 0.0f, a_b = 0.0f;
  for (uint i = place.index; i < rows; i += place.count) {
    a_a = fma(a[i], a[i], a_a);
    b_b = fma(b[i], b[i], b_b);
    a_b = fma(a[i], b[i], a_b);
  }
  const Products of_simdgroup = {simdgroup_sum(a_a), simdgroup_sum(b_b), simdgroup_sum(a_b)};
  if (place.lane == 0) parts.at[place.simdgroup] = of_simdgroup;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  Products all = {0.0f, 0.0f, 0.0f};
  for (uint n = 0; n < place.simdgroups(); ++n) {
    all.a_a += parts.at[n].a_a;
    all.b_b += parts.at[n].b_b;
    all.a_b += parts.at[n].a_b;
  }
  return all;
}

[[host_name("svd_jacobi_rotate")]] kernel void jacobi_rotate(
    constant Shape& shape [[buffer(shape_index)]], device float* work [[buffer(work_index)]],
    device float* rotations [[buffer(rotations_index)]], device const uint* status [[buffer(status_index)]],
    device uint* rotated [[buffer(rotated_index)]], uint2 group [[threadgroup_position_in_grid]],
    uint2 groups [[threadgroups_per_grid]], uint thread_index [[thread_index_in_threadgroup]],
    uint2 thread_count [[threads_per_threadgroup]], uint simdgroup [[simdgroup_index_in_threadgroup]],
    uint lane [[thread_index_in_simdgroup]]) {
  threadgroup Parts<Products> parts;
  if (status[group.y] != not_converged) return;
  const Place place = {thread_index, thread_count.x, simdgroup, lane};
  const ColumnPair pair = round_robin(shape.padded, shape.step, group.x);
  device float* const a = column_of(work, group.y, pair.first, shape.rows, shape);
  device float* const b = column_of(work, group.y, pair.second, shape.rows, shape);
  const Products products = group_products(a, b, shape.rows, parts, place);
  const bool is_rotated = !is_orthogonal(products);
  if (is_rotated) {
    const Rotation by = rotation_of(products);
    rotate(a, b, by, shape.rows, place.index, place.count);
    if (with_vectors)
      rotate(column_of(rotations, group.y, pair.first, shape.columns, shape),
             column_of(rotations, group.y, pair.second, shape.columns, shape), by, shape.columns, place.index,
             place.count);
  }
  device uint* const count = rotated + ulong(group.y) * groups.x + group.x;
  if (thread_index == 0) *count = (shape.step == 0 ? 0 : *count) + is_rotated;
}

}  // namespace svd
}  // namespace assay
