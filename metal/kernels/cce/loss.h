// lse and loss from the scores of a block of tokens.
//
//   scores [tokens, V], bias [V]  ->  lse [M], loss [M]
//
// A threadgroup has a token. Each thread takes sixteen entries at a time and keeps the state of those that it has seen
// in registers; at the end the states are merged in a fixed order.
#pragma once

#include "../simdgroup.h"
#include "lines.h"
#include "state.h"

namespace assay {
namespace cce {

/// The logits of one thread. Three passes compute the largest, the exponentials and the sum of all x.
struct Seen {
  float x[seen_entries];
  int target;  ///< the index of the target in x, or -1
  int count;   ///< how many of them are in the vocabulary
};

/// The logits of entries v, v + step, v + 2 step, ... below V.
template <class D>
Seen seen_logits(device const float* scores, uint v, uint step, uint target, device const D* bias, Shape shape) {
  Seen seen;
  seen.target = -1;
  seen.count = 0;
  for (int i = 0; i < seen_entries; ++i) {
    const ulong entry = v + ulong(i) * step;
    const bool is_entry = entry < shape.V;
    seen.x[i] = is_entry ? logit_of(scores[entry], bias, uint(entry), shape).x : -INFINITY;
    if (is_entry) ++seen.count;
    if (entry == target) seen.target = i;
  }
  return seen;
}

/// The sum of the exponentials, without that of the target, as four partial sums.
inline float sum_of_exponentials(Seen seen, float shift) {
  float sums[4] = {0.0f, 0.0f, 0.0f, 0.0f};
  for (int i = 0; i < seen_entries; ++i)
    if (i != seen.target) sums[i % 4] += exponential_of_difference(seen.x[i], shift);
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

inline void add_logits(thread State& state, Seen seen) {
  float largest = -INFINITY;
  for (int i = 0; i < seen_entries; ++i) largest = max(largest, seen.x[i]);
  state = raised(state, largest);
  if (seen.target >= 0) state.target = seen.x[seen.target];
  if (state.shift > -INFINITY) add_to_sum(state, {sum_of_exponentials(seen, state.shift), 0.0f});
  if (has_smoothing)
    for (int i = 0; i < seen.count; ++i) add_to_total(state, {seen.x[i], 0.0f});
}

inline State from_lane(State state, ushort distance) {
  return {simd_shuffle_xor(state.shift, distance),      simd_shuffle_xor(state.sum_high, distance),
          simd_shuffle_xor(state.sum_low, distance),    simd_shuffle_xor(state.target, distance),
          simd_shuffle_xor(state.total_high, distance), simd_shuffle_xor(state.total_low, distance)};
}

/// The states of all threads, merged; the first thread's result counts. All threads of the group must call it.
inline State merged_in_group(State state, threadgroup State* states, uint thread_index, uint thread_count) {
  for (ushort distance = 1; distance < lane_count; distance *= 2) state = merged(state, from_lane(state, distance));
  if (thread_index % lane_count == 0) states[thread_index / lane_count] = state;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  if (thread_index > 0) return state;
  for (uint n = 1; n * lane_count < thread_count; ++n) state = merged(state, states[n]);
  return state;
}

template <class D>
[[max_total_threads_per_threadgroup(max_loss_threads)]] kernel void loss(
    constant Shape& shape [[buffer(shape_index)]], device const Token* tokens [[buffer(tokens_index)]],
    device const D* bias [[buffer(bias_index)]], device const float* scores [[buffer(scores_index)]],
    device LogSum* lse [[buffer(lse_index)]], device float* losses [[buffer(losses_index)]],
    uint group [[threadgroup_position_in_grid]], uint thread_index [[thread_index_in_threadgroup]],
    uint thread_count [[threads_per_threadgroup]]) {
  threadgroup State states[max_loss_threads / lane_count];
  const uint i = shape.first_token + group, target = tokens[i].target;
  device const float* const row = score_row(scores, group, shape);
  State state = no_logits();
  for (ulong v = thread_index; v < shape.V; v += ulong(thread_count) * seen_entries)
    add_logits(state, seen_logits(row, uint(v), thread_count, target, bias, shape));
  state = merged_in_group(state, states, thread_index, thread_count);
  if (thread_index > 0) return;
  const LogSumAndLoss parts = log_sum_and_loss(state);
  lse[i] = parts.lse;
  losses[i] = loss_of(state, parts, shape);
}

}  // namespace cce
}  // namespace assay
