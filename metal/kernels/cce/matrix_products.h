// The products of products.h whose factors have 16 bits, by matrices of simdgroups.
//
//   scores = hidden weight^T            half and bfloat: products are exact
//   dhidden = g weight,   dweight = g^T hidden        bfloat: g is rounded to it; half has too few exponents for g
#pragma once

#include "matrix_product.h"
#include "products.h"

namespace assay {
namespace cce {

template <class D>
[[max_total_threads_per_threadgroup(matrix_max_threads)]] kernel void matrix_logits(
    constant Shape& shape [[buffer(shape_index)]], device const Token* tokens [[buffer(tokens_index)]],
    device const D* hidden [[buffer(hidden_index)]], device const D* weight [[buffer(weight_index)]],
    device float* scores [[buffer(scores_index)]], uint2 group [[threadgroup_position_in_grid]],
    uint thread_index [[thread_index_in_threadgroup]]) {
  threadgroup Factors<D> factors;
  threadgroup Outgoing outgoing;
  const uint first_row = group.x * matrix_tile, first_column = group.y * matrix_tile;
  const RowFactors<D, TokenLines<D>> left({tokens, hidden}, first_row, shape.tokens, shape, thread_index);
  const RowFactors<D, EntryLines<D>> right({weight}, first_column, shape.entries, shape, thread_index);
  const auto sums = matrix_products<D, matrix_tile>(left, right, shape.H, factors, thread_index);
  store_sums(sums, outgoing, thread_index, [&](uint row, uint column, float4 four) {
    if (first_row + row < shape.tokens)
      store_four(four, score_row(scores, first_row + row, shape), first_column + column, shape.entries, true);
  });
}

/// A block has few tokens and a tile half of its rows, so that more of a GPU's cores have one.
template <class D>
[[max_total_threads_per_threadgroup(matrix_max_threads)]] kernel void matrix_dhidden(
    constant Shape& shape [[buffer(shape_index)]], device const Token* tokens [[buffer(tokens_index)]],
    device const D* weight [[buffer(weight_index)]], device const float* scores [[buffer(scores_index)]],
    device D* gradient [[buffer(dhidden_index)]], uint2 group [[threadgroup_position_in_grid]],
    uint thread_index [[thread_index_in_threadgroup]]) {
  threadgroup Factors<D> factors;
  threadgroup Outgoing outgoing;
  const uint first_row = group.y * matrix_few_rows;
  const ulong first_column = ulong(group.x) * matrix_tile;
  const RowFactors<D, ScoreLines, matrix_few_rows> left({scores}, first_row, shape.tokens, shape, thread_index);
  const ColumnFactors<D, EntryLines<D>> right({weight}, first_column, shape.H, shape, thread_index);
  const auto sums = matrix_products<D, matrix_few_rows>(left, right, shape.entries, factors, thread_index);
  store_sums(sums, outgoing, thread_index, [&](uint row, uint column, float4 four) {
    if (first_row + row < shape.tokens)
      store_four(four, row_of(gradient, tokens[shape.first_token + first_row + row].row, shape), first_column + column,
                 shape.H, has_aligned_rows(shape));
  });
}

/// All tokens are in one block, so that each sum is rounded once.
template <class D>
[[max_total_threads_per_threadgroup(matrix_max_threads)]] kernel void matrix_dweight(
    constant Shape& shape [[buffer(shape_index)]], device const Token* tokens [[buffer(tokens_index)]],
    device const D* hidden [[buffer(hidden_index)]], device const float* scores [[buffer(scores_index)]],
    device D* gradient [[buffer(dweight_index)]], uint2 group [[threadgroup_position_in_grid]],
    uint thread_index [[thread_index_in_threadgroup]]) {
  threadgroup Factors<D> factors;
  threadgroup Outgoing outgoing;
  const uint first_row = group.y * matrix_tile;
  const ulong first_column = ulong(group.x) * matrix_tile;
  const ColumnFactors<D, ScoreLines> left({scores}, first_row, shape.entries, shape, thread_index);
  const ColumnFactors<D, TokenLines<D>> right({tokens, hidden}, first_column, shape.H, shape, thread_index);
  const auto sums = matrix_products<D, matrix_tile>(left, right, shape.tokens, factors, thread_index);
  store_sums(sums, outgoing, thread_index, [&](uint row, uint column, float4 four) {
    if (first_row + row < shape.entries)
      store_four(four, row_of(gradient, shape.first_entry + first_row + row, shape), first_column + column, shape.H,
                 has_aligned_rows(shape));
  });
}

}  // namespace cce
}  // namespace assay
