// dhidden and dweight. A threadgroup owns 32 rows of one of the two and loops over all rows of the other matrix. No
// other threadgroup adds to its rows, so the sums have a fixed order and need no atomics.
//
//   g [32, 64]  = dL/dz of a tile, from logits that are computed again
//   dhidden     = g weight,      dweight = g^T hidden,      dbias = sum over tokens of g
//
// Sums are kept in float and rounded to the type of the gradient at the end.
#pragma once

#include "forward.h"

namespace assay {
namespace cce {

/// The results of one thread for a row of a tile, over its share of the entries or tokens.
struct RowShare {
  float sum;      ///< the sum of dL/dz
  float largest;  ///< the largest magnitude of dL/dx
};

/// Replaces scores by dL/dz; 0 past the edges.
template <class Role>
RowShare differentiate(Role role, uint own, uint other, Shape shape, threadgroup Tiles& tiles, Place place) {
  const uint row = place.index / row_threads, column = place.index % row_threads;
  const bool is_own = own + row < shape.first + shape.count;
  threadgroup float* const scores = tiles.scores + row * score_stride;
  RowShare all = {0.0f, 0.0f};
  for (uint c = column; c < tile_columns; c += row_threads) {
    Share share = {0.0f, 0.0f};
    if (is_own && c < role.other_count(shape) - other) share = role.share(own + row, other + c, scores[c], shape);
    const float of_z = share.of_x * share.factor;
    scores[c] = of_z;
    all.sum += of_z;
    all.largest = max(all.largest, fabs(share.of_x));
  }
  return all;
}

/// Whether dL/dx of the tile is anywhere large enough for its products to be computed. All threads of the group must
/// call it.
inline bool is_worth_it(float largest, Shape shape, threadgroup Tiles& tiles, Place place) {
  if (!may_skip) return true;
  largest = simd_max(largest);
  if (place.lane == 0) tiles.largest[place.simdgroup] = largest;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  for (int n = 0; n < tile_simdgroups; ++n) largest = max(largest, tiles.largest[n]);
  return largest > shape.skip_below;
}

template <class D>
void round_rows(device D* to, device const float* sums, Shape shape, uint lane) {
  for (ulong h = lane; h < shape.H; h += lane_count) to[h] = D(sums[h]);
}

/// Adds up the gradients of the own rows; returns the sum of dL/dz of the thread's row. All threads of the group must
/// call it.
template <class Role>
float sum_gradients(Role role, uint own, bool with_rows, Shape shape, device float* sums, ulong stride,
                    threadgroup Tiles& tiles, Place place) {
  float of_bias = 0.0f;
  bool is_first = true;
  for (uint other = 0; other < role.other_count(shape); other += tile_columns) {
    multiply_rows(role, own, other, shape, tiles, place);
    threadgroup_barrier(mem_flags::mem_threadgroup);
    const RowShare share = differentiate(role, own, other, shape, tiles, place);
    of_bias += share.sum;
    const bool is_added = is_first || is_worth_it(share.largest, shape, tiles, place);
    if (with_rows && is_added) add_gradients(role, own, other, is_first, shape, sums, stride, tiles, place);
    is_first = false;
  }
  of_bias += simd_shuffle_xor(of_bias, 1);
  of_bias += simd_shuffle_xor(of_bias, 2);
  threadgroup_barrier(mem_flags::mem_device);
  return of_bias;
}

inline ulong sum_stride(Shape shape) {
  return (shape.H + slab - 1) / slab * slab;
}

template <class D>
[[max_total_threads_per_threadgroup(tile_threads)]] kernel void dhidden(
    constant Shape& shape [[buffer(shape_index)]], device const Token* tokens [[buffer(tokens_index)]],
    device const D* hidden [[buffer(hidden_index)]], device const D* weight [[buffer(weight_index)]],
    device const D* bias [[buffer(bias_index)]], device const LogSum* lse [[buffer(lse_index)]],
    device float* sums [[buffer(sums_index)]], device D* gradient [[buffer(dhidden_index)]],
    uint group [[threadgroup_position_in_grid]], uint thread_index [[thread_index_in_threadgroup]],
    uint simdgroup [[simdgroup_index_in_threadgroup]], uint lane [[thread_index_in_simdgroup]]) {
  threadgroup Tiles tiles;
  const OfTokens<D> role = {{tokens, hidden, weight, bias, lse}};
  const uint own = shape.first + group * tile_rows, end = shape.first + shape.count;
  const ulong stride = sum_stride(shape);
  device float* const own_sums = sums + ulong(group) * tile_rows * stride;
  sum_gradients(role, own, true, shape, own_sums, stride, tiles, {thread_index, simdgroup, lane});
  for (uint r = simdgroup; r < tile_rows && r < end - own; r += tile_simdgroups)
    round_rows(row_of(gradient, tokens[own + r].row, shape), own_sums + r * stride, shape, lane);
}

template <class D>
[[max_total_threads_per_threadgroup(tile_threads)]] kernel void dweight(
    constant Shape& shape [[buffer(shape_index)]], device const Token* tokens [[buffer(tokens_index)]],
    device const D* hidden [[buffer(hidden_index)]], device const D* weight [[buffer(weight_index)]],
    device const D* bias [[buffer(bias_index)]], device const LogSum* lse [[buffer(lse_index)]],
    device float* sums [[buffer(sums_index)]], device D* gradient [[buffer(dweight_index)]],
    device D* bias_gradient [[buffer(dbias_index)]], uint group [[threadgroup_position_in_grid]],
    uint thread_index [[thread_index_in_threadgroup]], uint simdgroup [[simdgroup_index_in_threadgroup]],
    uint lane [[thread_index_in_simdgroup]]) {
  threadgroup Tiles tiles;
  const OfEntries<D> role = {{tokens, hidden, weight, bias, lse}};
  const uint own = shape.first + group * tile_rows, end = shape.first + shape.count;
  const ulong stride = sum_stride(shape);
  device float* const own_sums = sums + ulong(group) * tile_rows * stride;
  const float of_bias =
      sum_gradients(role, own, with_dweight, shape, own_sums, stride, tiles, {thread_index, simdgroup, lane});
  const uint v = own + thread_index / row_threads;
  if (with_dbias && thread_index % row_threads == 0 && v < end) bias_gradient[v] = D(of_bias);
  if (!with_dweight) return;
  for (uint r = simdgroup; r < tile_rows && r < end - own; r += tile_simdgroups)
    round_rows(row_of(gradient, own + r, shape), own_sums + r * stride, shape, lane);
}

}  // namespace cce
}  // namespace assay
