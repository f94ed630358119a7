// Emissions of the classes that occur in a row, and y of all classes. A simdgroup computes a frame of a row.
//
//   from logits      m = max_k a_k, Z = sum_k exp(a_k - m):  emission exp(a_k - m), normalizer Z, y_k = emission / Z
//   from log_probs   emission exp(ln y_k) = y_k, normalizer 1
//
// activations [T, B, C]  ->  emissions, each row [frames, classes]; normalizers [T, B]; gradient [T, B, C] = weight * y
// with respect to logits, 0 with respect to log_probs. The recursions use emissions without the division by Z: a factor
// that all states of a frame share changes no posterior, and the loss adds ln Z.
// Past the last frame of the row the gradient is 0 and the activations are not read.
#pragma once

#include "exponential.h"
#include "row.h"
#include "simdgroup.h"

namespace assay {
namespace ctc {

template <class D>
float largest_activation(device const D* activations, ulong C, uint lane) {
  float largest = -INFINITY;
  for (ulong k = lane; k < C; k += lane_count) largest = max(largest, float(activations[k]));
  return simd_max(largest);
}

template <class D>
float sum_of_exponentials(device const D* activations, float shift, ulong C, uint lane) {
  float sum = 0.0f;
  for (ulong k = lane; k < C; k += lane_count) sum += to_float(exponential(float(activations[k]), shift));
  return simdgroup_sum(sum);
}

template <class D>
void write_emissions(Row row, uint t, device const D* activations, float shift, device const uint* classes,
                     device Scaled* emissions, uint lane) {
  device Scaled* const frame = emissions + row.emissions_begin + ulong(t) * row.classes;
  for (uint k = lane; k < row.classes; k += lane_count)
    frame[k] = exponential(float(activations[classes[row.classes_begin + k]]), shift);
}

/// weight * y, from which the posteriors of the classes that occur are subtracted later.
template <class D>
void write_outputs(float weight, device const D* activations, float shift, float normalizer, device D* gradient,
                   ulong C, uint lane) {
  for (ulong k = lane; k < C; k += lane_count)
    gradient[k] = D(weight * (to_float(exponential(float(activations[k]), shift)) / normalizer));
}

template <class D>
void fill_frame(device D* frame, ulong C, uint lane) {
  for (ulong k = lane; k < C; k += lane_count) frame[k] = D(0.0f);
}

template <class D>
[[max_total_threads_per_threadgroup(32)]] kernel void emissions(
    constant Shape& shape [[buffer(shape_index)]], device const Row* rows [[buffer(rows_index)]],
    device const D* activations [[buffer(activations_index)]], device const uint* classes [[buffer(classes_index)]],
    device Scaled* table [[buffer(emissions_index)]], device float* normalizers [[buffer(normalizers_index)]],
    device D* gradient [[buffer(gradient_index)]], uint2 group [[threadgroup_position_in_grid]],
    uint lane [[thread_index_in_simdgroup]]) {
  const uint b = shape.first_row + group.x, t = group.y;
  const Row row = rows[b];
  const ulong begin = frame_begin(shape, t, b), C = ulong(shape.C);
  const bool is_frame = t < row.frames;
  if (with_gradient && !(is_frame && of_logits)) fill_frame(gradient + begin, C, lane);
  if (!is_frame) return;
  device const D* const frame = activations + begin;
  const float shift = from_logits ? largest_activation(frame, C, lane) : 0.0f;
  const float normalizer = from_logits ? sum_of_exponentials(frame, shift, C, lane) : 1.0f;
  write_emissions(row, t, frame, shift, classes, table, lane);
  if (lane == 0) normalizers[ulong(t) * ulong(shape.B) + b] = normalizer;
  if (with_gradient && of_logits) write_outputs(row.weight, frame, shift, normalizer, gradient + begin, C, lane);
}

}  // namespace ctc
}  // namespace assay
