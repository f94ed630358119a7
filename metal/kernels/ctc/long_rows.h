// The recursion of recursion.h for rows whose states do not fit in the registers of a threadgroup, or of more frames
// than one dispatch may take. Threads loop over the states and meet in the tables of alpha and beta in device memory.
//
// The results have the same bits as those of recursion.h.
// emissions, each row [frames, classes]  ->  alpha and beta, each row [frames, L + 1]; losses [B]
#pragma once

#include "recursion.h"

namespace assay {
namespace ctc {

/// A frame of the recursion: alpha as it is stored, and beta times y.
struct FrameBefore {
  device const Scaled* cells;
  device const Scaled* y;
  bool is_reversed;

  Scaled at(Labels labels, uint i) const {
    return is_reversed ? multiply(y[labels.slot(i)], cells[i]) : Scaled(cells[i]);
  }
};

/// The sum over the states that lead to state i.
inline Scaled sum_into(Labels labels, uint i, FrameBefore before) {
  const Scaled same = before.at(labels, i), neighbour = i > 0 ? before.at(labels, i - 1) : zero();
  return unnormalized_sum(same, neighbour, labels.may_skip_to(i) ? before.at(labels, i - 2) : zero());
}

/// p from the last frame, or from the virtual one if there are no frames.
inline Scaled total_probability(uint L, uint frames, device const Scaled* cells) {
  if (frames == 0) return L == 1 ? one() : zero();
  return L == 1 ? Scaled(cells[0]) : add(cells[L - 1], cells[L - 2]);
}

inline device const Scaled* emissions_of(Row row, ulong t, device const Scaled* emissions) {
  return emissions + row.emissions_begin + t * row.classes;
}

/// Where the cells of a step begin in the table.
inline ulong cells_begin(Row row, Steps steps, uint step) {
  return (with_gradient ? ulong(steps.frame(step)) : ulong(step % 2)) * frame_cells(row);
}

/// The frame before `step`, as an earlier dispatch has left it.
inline FrameBefore frame_before(Row row, Steps steps, uint step, device const Scaled* emissions,
                                device const Scaled* table, bool is_reversed) {
  return {table + cells_begin(row, steps, step - 1), emissions_of(row, ulong(steps.frame(step - 1)), emissions),
          is_reversed};
}

/// One kernel for both directions. Without gradient two frames of alpha are kept, in turns.
[[host_name("ctc_recursion_device")]] kernel void recursion_device(
    constant Shape& shape [[buffer(shape_index)]], device const Row* rows [[buffer(rows_index)]],
    device const uint* slots [[buffer(slots_index)]], device const Scaled* emissions [[buffer(emissions_index)]],
    device const float* normalizers [[buffer(normalizers_index)]], device Scaled* alphas [[buffer(alpha_index)]],
    device Scaled* betas [[buffer(beta_index)]], device float* losses [[buffer(losses_index)]],
    uint2 group [[threadgroup_position_in_grid]], uint lane [[thread_index_in_simdgroup]],
    uint simdgroup [[simdgroup_index_in_threadgroup]], uint simdgroup_count [[simdgroups_per_threadgroup]]) {
  const uint b = shape.first_row + group.x;
  const bool is_reversed = group.y == 1;
  const Row row = rows[b];
  const Labels labels = labels_of(row, slots, is_reversed);
  const uint L = labels.state_count();
  const Place place = {lane, simdgroup, simdgroup_count};
  device Scaled* const table = is_reversed ? betas + row.beta_begin : alphas + row.alpha_begin;
  device Scaled* cells = table;
  const Steps steps = steps_of(row, is_reversed);
  FrameBefore before = {table, emissions, is_reversed};
  if (shape.first_step > 0 && shape.first_step < row.frames)
    before = frame_before(row, steps, shape.first_step, emissions, table, is_reversed);
  const uint end = min(row.frames, shape.first_step + shape.steps);
  for (uint step = shape.first_step; step < end; ++step) {
    const ulong t = ulong(steps.frame(step));
    device const Scaled* const y = emissions_of(row, t, emissions);
    cells = table + cells_begin(row, steps, step);
    for (uint i = place.thread_index(); i < L; i += simdgroup_count * lane_count) {
      const Scaled sum = step > 0 ? sum_into(labels, i, before) : i < 2 ? one() : zero();
      cells[i] = is_reversed ? sum : multiply(y[labels.slot(i)], sum);
    }
    threadgroup_barrier(mem_flags::mem_device);
    before = {cells, y, is_reversed};
  }
  const bool is_last = max(row.frames, 1u) > shape.first_step && end == row.frames;
  if (is_reversed || simdgroup > 0 || !is_last) return;
  const float loss = row_loss(shape, row, b, total_probability(L, row.frames, cells), normalizers, lane);
  if (lane == 0) losses[b] = loss;
}

}  // namespace ctc
}  // namespace assay
