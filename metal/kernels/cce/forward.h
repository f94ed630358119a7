// lse and loss. Each logit is computed in a tile, added to the sums, and discarded.
//
//   hidden [N, H], weight [V, H], bias [V]  ->  states [parts, M]  ->  lse [M], loss [M]
//
// Four threads share a token's row of a tile; each takes every fourth entry. They keep their states in registers from
// tile to tile and merge them at the end of the part. cce_loss merges the states of the parts in order.
#pragma once

#include "state.h"
#include "tile.h"

namespace assay {
namespace cce {

enum { row_threads = tile_threads / tile_rows, row_entries = tile_columns / row_threads };

/// The logits of one thread in one tile. Three passes compute the largest, the exponentials and the sum of all x.
struct Seen {
  float x[row_entries];
  int target;  ///< the index of the target in x, or -1
};

/// The logits of entries v, v + 4, v + 8, ... below `end`, from a token's row of `scores`.
template <class D>
Seen seen_logits(threadgroup const float* scores, uint v, uint end, uint target, device const D* bias, Shape shape) {
  Seen seen;
  seen.target = -1;
  for (int i = 0; i < row_entries; ++i) {
    const uint entry = v + i * row_threads;
    seen.x[i] = entry < end ? logit_of(scores[i * row_threads], bias, entry, shape).x : -INFINITY;
    if (entry == target) seen.target = i;
  }
  return seen;
}

/// The sum of the exponentials, without that of the target, as four partial sums.
inline float sum_of_exponentials(Seen seen, float shift) {
  float sums[4] = {0.0f, 0.0f, 0.0f, 0.0f};
  for (int i = 0; i < row_entries; ++i)
    if (i != seen.target) sums[i % 4] += exponential_of_difference(seen.x[i], shift);
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

/// `count`: how many of the entries are in the vocabulary.
inline void add_logits(thread State& state, Seen seen, int count) {
  float largest = -INFINITY;
  for (int i = 0; i < row_entries; ++i) largest = max(largest, seen.x[i]);
  state = raised(state, largest);
  if (seen.target >= 0) state.target = seen.x[seen.target];
  if (state.shift > -INFINITY) add_to_sum(state, {sum_of_exponentials(seen, state.shift), 0.0f});
  if (has_smoothing)
    for (int i = 0; i < count; ++i) add_to_total(state, {seen.x[i], 0.0f});
}

inline State from_lane(State state, ushort distance) {
  return {simd_shuffle_xor(state.shift, distance),      simd_shuffle_xor(state.sum_high, distance),
          simd_shuffle_xor(state.sum_low, distance),    simd_shuffle_xor(state.target, distance),
          simd_shuffle_xor(state.total_high, distance), simd_shuffle_xor(state.total_low, distance)};
}

/// The state of a thread's token for entries begin .. end - 1. All threads of the group must call it.
template <class D>
State state_of_part(OfTokens<D> role, uint own, uint begin, uint end, Shape shape, threadgroup Tiles& tiles,
                    Place place) {
  const uint row = place.index / row_threads, column = place.index % row_threads;
  const bool is_token = own + row < shape.first + shape.count;
  const uint target = is_token ? role.tables.tokens[own + row].target : 0;
  State state = no_logits();
  for (uint v = begin; v < end; v += tile_columns) {
    multiply_rows(role, own, v, shape, tiles, place);
    threadgroup_barrier(mem_flags::mem_threadgroup);
    const uint first = v + column, left = end - v > column ? end - first : 0;
    const Seen seen =
        seen_logits(tiles.scores + row * score_stride + column, first, end, target, role.tables.bias, shape);
    add_logits(state, seen, int(min((left + row_threads - 1) / row_threads, uint(row_entries))));
  }
  state = merged(state, from_lane(state, 1));
  return merged(state, from_lane(state, 2));
}

template <class D>
[[max_total_threads_per_threadgroup(tile_threads)]] kernel void forward(
    constant Shape& shape [[buffer(shape_index)]], device const Token* tokens [[buffer(tokens_index)]],
    device const D* hidden [[buffer(hidden_index)]], device const D* weight [[buffer(weight_index)]],
    device const D* bias [[buffer(bias_index)]], device State* states [[buffer(states_index)]],
    uint2 group [[threadgroup_position_in_grid]], uint thread_index [[thread_index_in_threadgroup]],
    uint simdgroup [[simdgroup_index_in_threadgroup]], uint lane [[thread_index_in_simdgroup]]) {
  threadgroup Tiles tiles;
  const Place place = {thread_index, simdgroup, lane};
  const OfTokens<D> role = {{tokens, hidden, weight, bias, nullptr}};
  const uint own = shape.first + group.x * tile_rows, begin = group.y * part_entries;
  const uint end = min(shape.V - begin, uint(part_entries)) + begin;
  const State state = state_of_part(role, own, begin, end, shape, tiles, place);
  const uint i = own + thread_index / row_threads;
  if (thread_index % row_threads == 0 && i < shape.first + shape.count) states[ulong(group.y) * shape.M + i] = state;
}

[[host_name("cce_loss")]] kernel void loss(constant Shape& shape [[buffer(shape_index)]],
                                           device const State* states [[buffer(states_index)]],
                                           device LogSum* lse [[buffer(lse_index)]],
                                           device float* losses [[buffer(losses_index)]],
                                           uint i [[thread_position_in_grid]]) {
  if (i >= shape.M) return;
  State state = states[i];
  for (ulong part = 1; part * part_entries < shape.V; ++part) state = merged(state, states[part * shape.M + i]);
  const LogSumAndLoss parts = log_sum_and_loss(state);
  lse[i] = parts.lse;
  losses[i] = loss_of(state, parts, shape);
}

}  // namespace cce
}  // namespace assay
