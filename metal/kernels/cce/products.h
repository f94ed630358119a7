// The production path's products of matrices, for a block of tokens and entries.
//
//   scores = hidden weight^T            [tokens, entries]; then loss.h, and differentiate() makes g = dL/dz of them
//   dhidden = g weight,   dweight = g^T hidden,   dbias = sum over tokens of g
//
// Every element has one owner, which adds in a fixed order, so there are no atomics. Sums are rounded to the type of
// the gradient once, at the end.
#pragma once

#include "product.h"

namespace assay {
namespace cce {

/// The rows and columns of a product that a threadgroup computes, and its thread's share of them.
struct TilePlace {
  uint first_row;
  ulong first_column;
  SumPlace sums;

  uint row(uint n) const { return first_row + sums.row_of_sum(n); }
  ulong column() const { return first_column + sums.column; }
  bool is_inside(uint rows, ulong columns) const { return row(0) < rows && column() < columns; }
};

inline TilePlace tile_place(uint row_tile, uint column_tile, uint thread_index) {
  return {row_tile * tile, ulong(column_tile) * tile, sum_place(thread_index)};
}

/// The tiles of tokens lie beside each other in the grid, because they share the rows of weight.
template <class D>
[[max_total_threads_per_threadgroup(product_threads)]] kernel void logits(
    constant Shape& shape [[buffer(shape_index)]], device const Token* tokens [[buffer(tokens_index)]],
    device const D* hidden [[buffer(hidden_index)]], device const D* weight [[buffer(weight_index)]],
    device float* scores [[buffer(scores_index)]], uint2 group [[threadgroup_position_in_grid]],
    uint thread_index [[thread_index_in_threadgroup]]) {
  threadgroup Slabs slabs;
  const TilePlace place = tile_place(group.x, group.y, thread_index);
  const RowOperand<TokenLines<D>> left({tokens, hidden}, place.first_row, shape.tokens, shape, thread_index);
  const RowOperand<EntryLines<D>> right({weight}, uint(place.first_column), shape.entries, shape, thread_index);
  const Sums sums =
      add_products({}, left, right, shape.H, place.is_inside(shape.tokens, shape.entries), slabs, thread_index);
#pragma unroll
  for (uint r = 0; r < 8; ++r)
    if (place.row(r) < shape.tokens)
      store_four(sums.rows[r], score_row(scores, place.row(r), shape), place.column(), shape.entries, true);
}

/// Replaces the scores of a block by dL/dz. A thread has four entries of one token.
template <class D>
kernel void differentiate(constant Shape& shape [[buffer(shape_index)]],
                          device const Token* tokens [[buffer(tokens_index)]],
                          device const D* bias [[buffer(bias_index)]], device float* scores [[buffer(scores_index)]],
                          device const LogSum* lse [[buffer(lse_index)]], uint2 group [[threadgroup_position_in_grid]],
                          uint thread_index [[thread_index_in_threadgroup]]) {
  const Tables<D> tables = {tokens, nullptr, nullptr, bias, lse};
  device float* const row = score_row(scores, group.y, shape);
  for (uint n = 0; n < 4; ++n) {
    const uint v = (group.x * 4 + n) * product_threads + thread_index;
    if (v < shape.entries) row[v] = d_logit(tables, shape.first_token + group.y, shape.first_entry + v, row[v], shape);
  }
}

template <class D>
[[max_total_threads_per_threadgroup(product_threads)]] kernel void dhidden(
    constant Shape& shape [[buffer(shape_index)]], device const Token* tokens [[buffer(tokens_index)]],
    device const D* weight [[buffer(weight_index)]], device const float* scores [[buffer(scores_index)]],
    device D* gradient [[buffer(dhidden_index)]], uint2 group [[threadgroup_position_in_grid]],
    uint thread_index [[thread_index_in_threadgroup]]) {
  threadgroup Slabs slabs;
  const TilePlace place = tile_place(group.y, group.x, thread_index);
  const RowOperand<ScoreLines> left({scores}, place.first_row, shape.tokens, shape, thread_index);
  const ColumnOperand<EntryLines<D>> right({weight}, place.first_column, shape.H, shape, thread_index);
  const Sums sums =
      add_products({}, left, right, shape.entries, place.is_inside(shape.tokens, shape.H), slabs, thread_index);
#pragma unroll
  for (uint r = 0; r < 8; ++r)
    if (place.row(r) < shape.tokens)
      store_four(sums.rows[r], row_of(gradient, tokens[shape.first_token + place.row(r)].row, shape), place.column(),
                 shape.H, has_aligned_rows(shape));
}

/// Adds to the sums of the blocks before, if there are any: a float gradient holds these exactly. Blocks have whole
/// slabs, so that the order of additions does not depend on how many blocks there are.
template <class D>
[[max_total_threads_per_threadgroup(product_threads)]] kernel void dweight(
    constant Shape& shape [[buffer(shape_index)]], device const Token* tokens [[buffer(tokens_index)]],
    device const D* hidden [[buffer(hidden_index)]], device const float* scores [[buffer(scores_index)]],
    device D* gradient [[buffer(dweight_index)]], uint2 group [[threadgroup_position_in_grid]],
    uint thread_index [[thread_index_in_threadgroup]]) {
  threadgroup Slabs slabs;
  const TilePlace place = tile_place(group.y, group.x, thread_index);
  const ColumnOperand<ScoreLines> left({scores}, place.first_row, shape.entries, shape, thread_index);
  const ColumnOperand<TokenLines<D>> right({tokens, hidden}, place.first_column, shape.H, shape, thread_index);
  const bool is_inside = place.is_inside(shape.entries, shape.H);
  Sums sums = {};
#pragma unroll
  for (uint r = 0; r < 8; ++r)
    if (shape.first_token > 0 && place.row(r) < shape.entries)
      sums.rows[r] = float4(load_four((device const D*)row_of(gradient, shape.first_entry + place.row(r), shape),
                                      place.column(), shape.H, has_aligned_rows(shape)));
  sums = add_products(sums, left, right, shape.tokens, is_inside, slabs, thread_index);
#pragma unroll
  for (uint r = 0; r < 8; ++r)
    if (place.row(r) < shape.entries)
      store_four(sums.rows[r], row_of(gradient, shape.first_entry + place.row(r), shape), place.column(), shape.H,
                 has_aligned_rows(shape));
}

/// A thread has an entry. The order of additions is that of dweight.
template <class D>
kernel void dbias(constant Shape& shape [[buffer(shape_index)]], device const float* scores [[buffer(scores_index)]],
                  device D* gradient [[buffer(dbias_index)]], uint v [[thread_position_in_grid]]) {
  if (v >= shape.entries) return;
  float sum = shape.first_token > 0 ? float(gradient[shape.first_entry + v]) : 0.0f;
  for (uint begin = 0; begin < shape.tokens; begin += slab) {
    float of_slab = 0.0f;
    for (uint i = begin; i < min(begin + slab, shape.tokens); ++i) of_slab += score_row(scores, i, shape)[v];
    sum += of_slab;
  }
  gradient[shape.first_entry + v] = D(sum);
}

}  // namespace cce
}  // namespace assay
