// alpha and the loss of rows of up to 32 N states. A simdgroup computes a row with all states in registers.
//
//   alpha(t, i) = y(t, i) * (alpha(t-1, i) + alpha(t-1, i-1) + [skip into i] alpha(t-1, i-2))
//   p = alpha(T-1, L-1) + alpha(T-1, L-2)
//
// Graves et al. 2006, eqs. 6 to 8. The recursion starts from a virtual frame: alpha(-1) is 1 in state 0, else 0.
// emissions, each row [frames, classes]  ->  alpha, each row [frames, L]; losses [B]
#pragma once

#include "lanes.h"
#include "loss.h"

namespace assay {
namespace ctc {

template <int N>
Cells<N> forward_start(Lane<N> lane) {
  Cells<N> cells;
  for (int n = 0; n < N; ++n) cells.at[n] = lane.state(n) == 0 ? one() : zero();
  return cells;
}

/// A lane with one state needs the state of the lane two below. A lane with more states begins with a blank, which no
/// skip leads to.
template <int N>
Cells<N> forward_step(Lane<N> lane, Cells<N> y, Cells<N> alpha) {
  const Scaled below = from_below(alpha.at[N - 1], 1, lane.index);
  const Scaled second_below = N == 1 ? from_below(alpha.at[0], 2, lane.index) : zero();
  Cells<N> result;
  for (int n = 0; n < N; ++n) {
    const Scaled previous = n == 0 ? below : alpha.at[n - 1];
    const Scaled second = n == 0 ? second_below : n == 1 ? below : alpha.at[n - 2];
    const Scaled skipped = lane.skips_in[n] ? second : zero();
    result.at[n] = multiply(y.at[n], add(alpha.at[n], previous, skipped));
  }
  return result;
}

template <int N>
[[max_total_threads_per_threadgroup(32)]] kernel void forward(
    constant Shape& shape [[buffer(shape_index)]], device const Row* rows [[buffer(rows_index)]],
    device const uint* slots [[buffer(slots_index)]], device const Scaled* emissions [[buffer(emissions_index)]],
    device const float* normalizers [[buffer(normalizers_index)]], device Scaled* alphas [[buffer(alpha_index)]],
    device float* losses [[buffer(losses_index)]], uint group [[threadgroup_position_in_grid]],
    uint lane_index [[thread_index_in_simdgroup]]) {
  const uint b = shape.first_row + group;
  const Row row = rows[b];
  const Lane<N> lane = lane_of<N>(labels_of(row, slots), lane_index);
  device const Scaled* const table = emissions + row.emissions_begin;
  Cells<N> alpha = forward_start(lane), y;
  if (row.frames > 0) y = load_emissions(lane, table);
  for (uint t = 0; t < row.frames; ++t) {
    // Loads the next frame's emissions while this frame is computed.
    const Cells<N> next_y = load_emissions(lane, table + ulong(min(t + 1, row.frames - 1)) * row.classes);
    alpha = forward_step(lane, y, alpha);
    if (with_gradient) store_states(lane, alpha, alphas + row.alpha_begin + ulong(t) * lane.count);
    y = next_y;
  }
  const float loss = row_loss(shape, row, b, sum_of_last_two(lane, alpha), normalizers, lane_index);
  if (lane_index == 0) losses[b] = loss;
}

}  // namespace ctc
}  // namespace assay
