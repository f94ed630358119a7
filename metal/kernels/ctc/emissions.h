// Emissions of the classes that occur in a row, and y of all classes. A frame of a row is computed by a simdgroup, or
// by a threadgroup if it has many classes.
//
//   from logits      m = max_k a_k, Z = sum_k exp(a_k - m):  emission exp(a_k - m), normalizer Z, y_k = emission / Z
//   from log_probs   emission exp(ln y_k) = y_k, normalizer 1
//
// activations [T, B, C]  ->  emissions, each row [frames, classes]; normalizers [T, B]; gradient [T, B, C] = weight * y
// with respect to logits, 0 with respect to log_probs. The recursions use emissions without the division by Z: a factor
// that all states of a frame share changes no posterior, and the loss adds ln Z.
// Each activation is read once, and then kept in registers or in threadgroup memory if C allows.
// Past the last frame of the row the gradient is 0 and the activations are not read.
#pragma once

#include "activations.h"
#include "gradient.h"

namespace assay {
namespace ctc {

/// How the threads of a frame combine their values: within a simdgroup, or across those of a threadgroup. All threads
/// must call the functions.
struct OfSimdgroup {
  float largest(float x) const { return simd_max(x); }
  float sum(float x) const { return simdgroup_sum(x); }
};

enum { wide_simdgroups = wide_count / lane_count };

struct OfThreadgroup {
  threadgroup float* parts;  ///< two for each simdgroup
  uint lane, simdgroup;

  float shared(float x, uint first) const {
    if (lane == 0) parts[first + simdgroup] = x;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    return parts[first + lane % wide_simdgroups];
  }
  float largest(float x) const { return simd_max(shared(simd_max(x), 0)); }
  float sum(float x) const { return lanes_sum<wide_simdgroups>(shared(simdgroup_sum(x), wide_simdgroups)); }
};

/// The buffers from which and to which a frame of row b is computed.
template <class D>
struct EmissionsOf {
  device const D* activations;
  device const uint* classes;
  device Scaled* emissions;
  device float* normalizers;
  device D* gradient;
};

/// `frame`: InRegisters or InParts.
template <class D, class Frame, class Threads>
void compute_frame(Shape shape, Row row, uint b, uint t, EmissionsOf<D> of, Frame frame, Threads threads) {
  const uint thread_index = frame.of.thread_index;
  const ulong C = ulong(shape.C), begin = frame_begin(shape, t, b);
  device D* const gradient = of.gradient + begin;
  const bool is_frame = t < row.frames;
  if (with_gradient && !(is_frame && of_logits)) fill_frame(gradient, D(0.0f), C, thread_index, Frame::count);
  if (!is_frame) return;
  frame.of.values += begin;
  device const uint* const classes = of.classes + row.classes_begin;
  const float ahead = frame.of.load_slot(row, thread_index, classes);
  const float shift = from_logits ? threads.largest(frame.largest()) : 0.0f;
  const float normalizer = from_logits ? threads.sum(frame.sum_of_exponentials(shift)) : 1.0f;
  frame.of.write_emissions(row, ahead, shift, classes, of.emissions + row.emissions_begin + ulong(t) * row.classes);
  if (thread_index == 0) of.normalizers[ulong(t) * ulong(shape.B) + b] = normalizer;
  if (!with_gradient || !of_logits) return;
  if (from_logits) return frame.write_outputs(shift, row.weight / normalizer, gradient);
  frame.of.write_probabilities(row.weight, gradient);
}

/// The simdgroups of a threadgroup compute a frame each.
template <class D>
[[max_total_threads_per_threadgroup(256)]] kernel void emissions(
    constant Shape& shape [[buffer(shape_index)]], device const Row* rows [[buffer(rows_index)]],
    device const D* activations [[buffer(activations_index)]], device const uint* classes [[buffer(classes_index)]],
    device Scaled* table [[buffer(emissions_index)]], device float* normalizers [[buffer(normalizers_index)]],
    device D* gradient [[buffer(gradient_index)]], uint2 group [[threadgroup_position_in_grid]],
    uint lane [[thread_index_in_simdgroup]], uint simdgroup [[simdgroup_index_in_threadgroup]],
    uint simdgroup_count [[simdgroups_per_threadgroup]]) {
  const uint b = shape.first_row + group.x;
  const ulong t = ulong(group.y) * simdgroup_count + simdgroup;
  if (t >= ulong(shape.T)) return;
  const EmissionsOf<D> of = {activations, classes, table, normalizers, gradient};
  compute_frame(shape, rows[b], b, uint(t), of, InRegisters<D>{{activations, ulong(shape.C), lane}, {}}, OfSimdgroup{});
}

/// A threadgroup computes a frame.
template <class D, bool is_held>
[[max_total_threads_per_threadgroup(wide_count)]] kernel void emissions_wide(
    constant Shape& shape [[buffer(shape_index)]], device const Row* rows [[buffer(rows_index)]],
    device const D* activations [[buffer(activations_index)]], device const uint* classes [[buffer(classes_index)]],
    device Scaled* table [[buffer(emissions_index)]], device float* normalizers [[buffer(normalizers_index)]],
    device D* gradient [[buffer(gradient_index)]], threadgroup float4* held [[threadgroup(0)]],
    uint2 group [[threadgroup_position_in_grid]], uint thread_index [[thread_index_in_threadgroup]],
    uint lane [[thread_index_in_simdgroup]], uint simdgroup [[simdgroup_index_in_threadgroup]]) {
  threadgroup float parts[2 * wide_simdgroups];
  const uint b = shape.first_row + group.x;
  const EmissionsOf<D> of = {activations, classes, table, normalizers, gradient};
  const Activations<D, wide_count> values = {activations, ulong(shape.C), thread_index};
  const OfThreadgroup threads = {parts, lane, simdgroup};
  if (shape.is_aligned != 0)
    compute_frame(shape, rows[b], b, group.y, of, InParts<D, is_held, true>{values, held}, threads);
  else
    compute_frame(shape, rows[b], b, group.y, of, InParts<D, is_held, false>{values, held}, threads);
}

}  // namespace ctc
}  // namespace assay
