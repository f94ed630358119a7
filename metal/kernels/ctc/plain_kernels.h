// The kernels of the plain path: plain.h has the equations.
#pragma once

#include "plain.h"

namespace assay {
namespace ctc {

/// ln y_k = a_k - ln sum_j e^(a_j) from logits, else a_k. A simdgroup per frame.
template <class D>
kernel void plain_log_softmax(constant Shape& shape [[buffer(shape_index)]],
                              device const Row* rows [[buffer(rows_index)]],
                              device const D* activations [[buffer(activations_index)]],
                              device float* log_y [[buffer(emissions_index)]],
                              uint2 group [[threadgroup_position_in_grid]], uint lane [[thread_index_in_simdgroup]]) {
  const uint b = shape.first_row + group.x, t = group.y;
  if (t >= rows[b].frames) return;
  const ulong begin = frame_begin(shape, t, b), end = begin + ulong(shape.C);
  float largest = -INFINITY, sum = 0.0f;
  for (ulong k = begin + lane; k < end; k += lane_count) largest = max(largest, float(activations[k]));
  largest = simd_max(largest);
  for (ulong k = begin + lane; k < end; k += lane_count) sum += precise::exp(float(activations[k]) - largest);
  const float log_sum = precise::log(simdgroup_sum(sum));
  for (ulong k = begin + lane; k < end; k += lane_count)
    log_y[k] = from_logits ? float(activations[k]) - largest - log_sum : float(activations[k]);
}

/// alpha, and the loss -ln p (eq. 12). A threadgroup per row, a thread per state.
[[host_name("ctc_plain_alpha")]] kernel void plain_alpha(
    constant Shape& shape [[buffer(shape_index)]], device const Row* rows [[buffer(rows_index)]],
    device const uint* slots [[buffer(slots_index)]], device const uint* classes [[buffer(classes_index)]],
    device const float* log_y [[buffer(emissions_index)]], device float* alphas [[buffer(alpha_index)]],
    device float* losses [[buffer(losses_index)]], uint group [[threadgroup_position_in_grid]],
    uint thread_index [[thread_index_in_threadgroup]], uint thread_count [[threads_per_threadgroup]]) {
  const uint b = shape.first_row + group;
  const Row row = rows[b];
  const PlainRow plain = {labels_of(row, slots, false), classes + row.classes_begin, log_y, shape, b};
  const uint L = plain.labels.state_count();
  device float* const alpha = alphas + row.alpha_begin;
  for (uint t = 0; t < row.frames; ++t) {
    device float* const frame = alpha + ulong(t) * L;
    for (uint s = thread_index; s < L; s += thread_count) frame[s] = log_alpha(plain, t, s, frame - (t > 0 ? L : 0));
    threadgroup_barrier(mem_flags::mem_device);
  }
  if (thread_index > 0) return;
  const float loss = 0.0f - log_probability(row, alpha);
  losses[b] = loss == INFINITY && shape.zero_infinity != 0 ? 0.0f : from_logits ? max(loss, 0.0f) : loss;
}

/// beta. A threadgroup per row, a thread per state.
[[host_name("ctc_plain_beta")]] kernel void plain_beta(
    constant Shape& shape [[buffer(shape_index)]], device const Row* rows [[buffer(rows_index)]],
    device const uint* slots [[buffer(slots_index)]], device const uint* classes [[buffer(classes_index)]],
    device const float* log_y [[buffer(emissions_index)]], device float* betas [[buffer(beta_index)]],
    uint group [[threadgroup_position_in_grid]], uint thread_index [[thread_index_in_threadgroup]],
    uint thread_count [[threads_per_threadgroup]]) {
  const uint b = shape.first_row + group;
  const Row row = rows[b];
  const PlainRow plain = {labels_of(row, slots, false), classes + row.classes_begin, log_y, shape, b};
  const uint L = plain.labels.state_count();
  for (uint t = row.frames; t-- > 0;) {
    device float* const frame = betas + row.beta_begin + ulong(t) * L;
    const bool is_last = t + 1 == row.frames;
    for (uint s = thread_index; s < L; s += thread_count)
      frame[s] = log_beta(plain, t, s, is_last, frame + (is_last ? 0 : L));
    threadgroup_barrier(mem_flags::mem_device);
  }
}

/// The gradient in the two steps of Eesen. A simdgroup per frame.
///
///   dL/d ln y_k = -1/p sum of alpha beta / y_k over the states of class k     (eq. 15, times y_k)
///   dL/d a_k    = dL/d ln y_k - y_k sum_j dL/d ln y_j                         (through the softmax)
template <class D>
kernel void plain_gradient(constant Shape& shape [[buffer(shape_index)]], device const Row* rows [[buffer(rows_index)]],
                           device const uint* order [[buffer(order_index)]],
                           device const uint* ends [[buffer(ends_index)]],
                           device const uint* classes [[buffer(classes_index)]],
                           device const float* log_y [[buffer(emissions_index)]],
                           device const float* alphas [[buffer(alpha_index)]],
                           device const float* betas [[buffer(beta_index)]],
                           device D* gradients [[buffer(gradient_index)]], uint2 group [[threadgroup_position_in_grid]],
                           uint lane [[thread_index_in_simdgroup]]) {
  const uint b = shape.first_row + group.x, t = group.y;
  const Row row = rows[b];
  const PlainFrame frame = {row,
                            order + row.labels_begin,
                            ends + row.classes_begin,
                            classes + row.classes_begin,
                            log_y + frame_begin(shape, t, b),
                            alphas + row.alpha_begin,
                            betas + row.beta_begin,
                            t};
  device D* const gradient = gradients + frame_begin(shape, t, b);
  const bool is_frame = t < row.frames, is_possible = is_frame && frame.log_p() > -INFINITY;
  const float impossible = is_frame && shape.zero_infinity == 0 ? NAN : 0.0f;
  float sum = 0.0f;
  for (uint slot = lane; is_possible && slot < row.classes; slot += lane_count) sum += frame.first_step(slot);
  sum = simdgroup_sum(sum);
  for (ulong k = lane; k < ulong(shape.C); k += lane_count)
    gradient[k] = D(is_possible ? row.weight * frame.second_step(k, 0.0f, sum) : impossible);
  simdgroup_barrier(mem_flags::mem_device);
  for (uint slot = lane; is_possible && slot < row.classes; slot += lane_count)
    gradient[frame.classes[slot]] = D(row.weight * frame.second_step(frame.classes[slot], frame.first_step(slot), sum));
}

}  // namespace ctc
}  // namespace assay
