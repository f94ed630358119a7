// C = A B of pairs of float matrices, for the rSVD. A threadgroup computes 16 x 16 elements of one C, one per thread.
//
//   A [.., rows, depth], B [.., depth, columns] or one B for all  ->  C [.., rows, columns], row-major
//   the rows and columns of A and B each with their stride
//
// Sums of sixteen products are added up, because short sums have smaller errors.
#pragma once

#include "interface.h"

namespace assay {
namespace svd {

struct TilePair {
  float first[tile][tile + 1], second[tile][tile + 1];
};

/// Copies the factors from `corner` and `term` on to threadgroup memory; zeros past the edges.
inline void stage_factors(device const float* A, device const float* B, uint2 corner, uint term,
                          constant ProductShape& shape, threadgroup TilePair& tiles, uint2 at) {
  const uint i = corner.y + at.y, k = term + at.x;
  const bool has_first = i < shape.rows && k < shape.depth;
  tiles.first[at.y][at.x] =
      has_first ? A[ulong(i) * shape.first_row_stride + ulong(k) * shape.first_column_stride] : 0.0f;
  const uint l = term + at.y, j = corner.x + at.x;
  const bool has_second = l < shape.depth && j < shape.columns;
  tiles.second[at.y][at.x] =
      has_second ? B[ulong(l) * shape.second_row_stride + ulong(j) * shape.second_column_stride] : 0.0f;
}

[[host_name("svd_multiply"), max_total_threads_per_threadgroup(256)]] kernel void multiply(
    constant ProductShape& shape [[buffer(product_shape_index)]],
    device const float* first [[buffer(first_factor_index)]],
    device const float* second [[buffer(second_factor_index)]], device float* product [[buffer(product_index)]],
    uint3 group [[threadgroup_position_in_grid]], uint thread_index [[thread_index_in_threadgroup]]) {
  threadgroup TilePair tiles;
  const uint2 corner = group.xy * uint(tile), at = uint2(thread_index % tile, thread_index / tile);
  first += ulong(group.z) * shape.rows * shape.depth;
  if (shape.shares_second == 0) second += ulong(group.z) * shape.depth * shape.columns;
  product += ulong(group.z) * shape.rows * shape.columns;
  float sum = 0.0f;
  for (uint term = 0; term < shape.depth; term += tile) {
    stage_factors(first, second, corner, term, shape, tiles, at);
    threadgroup_barrier(mem_flags::mem_threadgroup);
    float products = 0.0f;
    for (uint k = 0; k < tile; ++k) products = fma(tiles.first[at.y][k], tiles.second[k][at.x], products);
    sum += products;
    threadgroup_barrier(mem_flags::mem_threadgroup);
  }
  const uint i = corner.y + at.y, j = corner.x + at.x;
  if (i < shape.rows && j < shape.columns) product[ulong(i) * shape.columns + j] = sum;
}

}  // namespace svd
}  // namespace assay
