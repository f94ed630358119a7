// The kernels for longer rows: columns.h.
//
// emissions, each row [frames, classes]  ->  alpha, each row [frames, L]; losses [B]; gradient [T, B, C]
#pragma once

#include "columns.h"

namespace assay {
namespace ctc {

[[host_name("ctc_forward_columns")]] kernel void forward_columns(
    constant Shape& shape [[buffer(shape_index)]], device const Row* rows [[buffer(rows_index)]],
    device const uint* slots [[buffer(slots_index)]], device const Scaled* emissions [[buffer(emissions_index)]],
    device const float* normalizers [[buffer(normalizers_index)]], device Scaled* alphas [[buffer(alpha_index)]],
    device float* losses [[buffer(losses_index)]], threadgroup Scaled* columns [[threadgroup(0)]],
    uint group [[threadgroup_position_in_grid]], uint thread_index [[thread_index_in_threadgroup]],
    uint thread_count [[threads_per_threadgroup]], uint lane [[thread_index_in_simdgroup]],
    uint simdgroup [[simdgroup_index_in_threadgroup]]) {
  const uint b = shape.first_row + group;
  const Row row = rows[b];
  const Labels labels = labels_of(row, slots);
  const uint L = labels.state_count();
  const Place place = {thread_index, thread_count, lane, simdgroup};
  for (uint t = 0; t < row.frames; ++t) {
    threadgroup Scaled* const column = columns + (t % 2) * L;
    forward_frame(labels, t == 0, emissions + row.emissions_begin + ulong(t) * row.classes, columns + (1 - t % 2) * L,
                  column, place);
    if (with_gradient)
      for (uint i = thread_index; i < L; i += thread_count) alphas[row.alpha_begin + ulong(t) * L + i] = column[i];
    InThreadgroup::meet();
  }
  if (simdgroup > 0) return;
  const Scaled p = total_probability(labels, row.frames, columns + ((row.frames + 1) % 2) * L);
  const float loss = row_loss(shape, row, b, p, normalizers, lane);
  if (lane == 0) losses[b] = loss;
}

/// The columns are those of alpha itself, of which only two are kept without gradient.
[[host_name("ctc_forward_device")]] kernel void forward_device(
    constant Shape& shape [[buffer(shape_index)]], device const Row* rows [[buffer(rows_index)]],
    device const uint* slots [[buffer(slots_index)]], device const Scaled* emissions [[buffer(emissions_index)]],
    device const float* normalizers [[buffer(normalizers_index)]], device Scaled* alphas [[buffer(alpha_index)]],
    device float* losses [[buffer(losses_index)]], uint group [[threadgroup_position_in_grid]],
    uint thread_index [[thread_index_in_threadgroup]], uint thread_count [[threads_per_threadgroup]],
    uint lane [[thread_index_in_simdgroup]], uint simdgroup [[simdgroup_index_in_threadgroup]]) {
  const uint b = shape.first_row + group;
  const Row row = rows[b];
  const Labels labels = labels_of(row, slots);
  const ulong L = labels.state_count();
  device Scaled* previous = alphas + row.alpha_begin;
  device Scaled* column = previous;
  for (uint t = 0; t < row.frames; ++t) {
    column = alphas + row.alpha_begin + (with_gradient ? t : t % 2) * L;
    forward_frame(labels, t == 0, emissions + row.emissions_begin + ulong(t) * row.classes, previous, column,
                  {thread_index, thread_count, lane, simdgroup});
    threadgroup_barrier(mem_flags::mem_device);
    previous = column;
  }
  if (simdgroup > 0) return;
  const float loss = row_loss(shape, row, b, total_probability(labels, row.frames, column), normalizers, lane);
  if (lane == 0) losses[b] = loss;
}

template <class D>
kernel void backward_columns(
    constant Shape& shape [[buffer(shape_index)]], device const Row* rows [[buffer(rows_index)]],
    device const uint* slots [[buffer(slots_index)]], device const uint* order [[buffer(order_index)]],
    device const uint* ends [[buffer(ends_index)]], device const uint* classes [[buffer(classes_index)]],
    device const Scaled* emissions [[buffer(emissions_index)]],
    device const float* normalizers [[buffer(normalizers_index)]], device const Scaled* alphas [[buffer(alpha_index)]],
    device D* gradient [[buffer(gradient_index)]], threadgroup Scaled* columns [[threadgroup(0)]],
    uint group [[threadgroup_position_in_grid]], uint thread_index [[thread_index_in_threadgroup]],
    uint thread_count [[threads_per_threadgroup]], uint lane [[thread_index_in_simdgroup]],
    uint simdgroup [[simdgroup_index_in_threadgroup]]) {
  threadgroup Parts parts;
  const uint b = shape.first_row + group;
  backward_group<InThreadgroup, D>(shape, rows[b], b, labels_of(rows[b], slots),
                                   {order, ends, classes, emissions, normalizers, gradient}, alphas, columns, parts,
                                   {thread_index, thread_count, lane, simdgroup});
}

template <class D>
kernel void backward_device(
    constant Shape& shape [[buffer(shape_index)]], device const Row* rows [[buffer(rows_index)]],
    device const uint* slots [[buffer(slots_index)]], device const uint* order [[buffer(order_index)]],
    device const uint* ends [[buffer(ends_index)]], device const uint* classes [[buffer(classes_index)]],
    device const Scaled* emissions [[buffer(emissions_index)]],
    device const float* normalizers [[buffer(normalizers_index)]], device const Scaled* alphas [[buffer(alpha_index)]],
    device Scaled* columns [[buffer(beta_index)]], device D* gradient [[buffer(gradient_index)]],
    uint group [[threadgroup_position_in_grid]], uint thread_index [[thread_index_in_threadgroup]],
    uint thread_count [[threads_per_threadgroup]], uint lane [[thread_index_in_simdgroup]],
    uint simdgroup [[simdgroup_index_in_threadgroup]]) {
  threadgroup Parts parts;
  const uint b = shape.first_row + group;
  backward_group<InDevice, D>(shape, rows[b], b, labels_of(rows[b], slots),
                              {order, ends, classes, emissions, normalizers, gradient}, alphas,
                              columns + rows[b].beta_begin, parts, {thread_index, thread_count, lane, simdgroup});
}

}  // namespace ctc
}  // namespace assay
