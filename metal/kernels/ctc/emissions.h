// Emissions of the classes that occur in a row, and y of all classes. A frame of a row is computed by a simdgroup, or
// by a threadgroup if it has many classes.
//
//   from logits      m = max_k a_k, Z = sum_k exp(a_k - m):  emission exp(a_k - m), normalizer Z, y_k = emission / Z
//   from log_probs   emission exp(ln y_k) = y_k, normalizer 1
//
// activations [T, B, C]  ->  emissions, each row [frames, classes]; normalizers [T, B]; gradient [T, B, C] = weight * y
// with respect to logits, 0 with respect to log_probs. The recursions use emissions without the division by Z: a factor
// that all states of a frame share changes no posterior, and the loss adds ln Z.
// A threadgroup reads each activation once, and keeps it in threadgroup memory if C allows.
// Past the last frame of the row the gradient is 0 and the activations are not read.
#pragma once

#include "exponential.h"
#include "gradient.h"

namespace assay {
namespace ctc {

/// A part of a frame: the classes from `first` on, `left` of them. n counts a thread's classes in it.
struct Batch {
  ulong first;
  uint left;
};

/// One frame of activations, which `count` threads share: each takes every count-th class, `batch` of them at a time,
/// so that their loads overlap. `held`: what a thread has computed of its classes, if they are held.
template <class D, uint count, bool is_held>
struct Activations {
  device const D* values;
  threadgroup float* held;
  ulong C;
  uint thread_index;

  Batch batch_from(ulong first) const { return {first, uint(min(C - first, ulong(batch * count)))}; }
  bool any_has(Batch part, uint n) const { return n * count < part.left; }
  bool has(Batch part, uint n) const { return n * count + thread_index < part.left; }
  ulong class_of(Batch part, uint n) const { return part.first + n * count + thread_index; }

  /// -inf past the last class.
  float load(Batch part, uint n) const { return has(part, n) ? float(values[class_of(part, n)]) : -INFINITY; }

  float largest() const {
    float result = -INFINITY;
    for (ulong first = 0; first < C; first += batch * count) {
      const Batch part = batch_from(first);
      float a[batch];
#pragma unroll
      for (uint n = 0; n < batch; ++n) a[n] = load(part, n);
#pragma unroll
      for (uint n = 0; n < batch; ++n) {
        result = max(result, a[n]);
        if (is_held) held[class_of(part, n)] = a[n];
      }
    }
    return result;
  }

  /// From now on the exponentials are held.
  float sum_of_exponentials(float shift) const {
    float sum = 0.0f;
    for (ulong first = 0; first < C; first += batch * count) {
      const Batch part = batch_from(first);
#pragma unroll
      for (uint n = 0; n < batch; ++n)
        if (is_held || any_has(part, n)) {
          const float e = exponential_below(is_held ? held[class_of(part, n)] : load(part, n), shift);
          if (is_held) held[class_of(part, n)] = e;
          sum += e;
        }
    }
    return sum;
  }

  /// factor * exp(a - shift), from which the posteriors of the classes that occur are subtracted later.
  void write_outputs(float shift, float factor, device D* gradient) const {
    for (ulong first = 0; first < C; first += batch * count) {
      const Batch part = batch_from(first);
#pragma unroll
      for (uint n = 0; n < batch; ++n)
        if (has(part, n)) {
          const float e = is_held ? held[class_of(part, n)] : exponential_below(load(part, n), shift);
          gradient[class_of(part, n)] = D(factor * e);
        }
    }
  }

  /// weight * y of log_probs, which may be above 0 by a rounding error or more.
  void write_probabilities(float weight, device D* gradient) const {
    for (ulong k = thread_index; k < C; k += count)
      gradient[k] = D(weight * to_float(exponential(float(values[k]), 0.0f)));
  }

  /// The activation of a slot, 0 past the last one.
  float load_slot(Row row, uint slot, device const uint* classes) const {
    return slot < row.classes ? float(values[classes[slot]]) : 0.0f;
  }

  /// `ahead`: the activation of this thread's first slot, which has been loaded long before.
  void write_emissions(Row row, float ahead, float shift, device const uint* classes, device Scaled* table) const {
    for (uint slot = thread_index; slot < row.classes; slot += count) {
      table[slot] = exponential(ahead, shift);
      ahead = load_slot(row, slot + count, classes);
    }
  }
};

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

template <class D, uint count, bool is_held, class Threads>
void compute_frame(Shape shape, Row row, uint b, uint t, EmissionsOf<D> of, threadgroup float* held, uint thread_index,
                   Threads threads) {
  const ulong begin = frame_begin(shape, t, b), C = ulong(shape.C);
  device D* const gradient = of.gradient + begin;
  const bool is_frame = t < row.frames;
  if (with_gradient && !(is_frame && of_logits)) fill_frame(gradient, D(0.0f), C, thread_index, count);
  if (!is_frame) return;
  const Activations<D, count, is_held> frame = {of.activations + begin, held, C, thread_index};
  device const uint* const classes = of.classes + row.classes_begin;
  const float ahead = frame.load_slot(row, thread_index, classes);
  const float shift = from_logits ? threads.largest(frame.largest()) : 0.0f;
  const float normalizer = from_logits ? threads.sum(frame.sum_of_exponentials(shift)) : 1.0f;
  frame.write_emissions(row, ahead, shift, classes, of.emissions + row.emissions_begin + ulong(t) * row.classes);
  if (thread_index == 0) of.normalizers[ulong(t) * ulong(shape.B) + b] = normalizer;
  if (!with_gradient || !of_logits) return;
  if (from_logits) return frame.write_outputs(shift, row.weight / normalizer, gradient);
  frame.write_probabilities(row.weight, gradient);
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
  compute_frame<D, lane_count, false>(shape, rows[b], b, uint(t), {activations, classes, table, normalizers, gradient},
                                      nullptr, lane, OfSimdgroup{});
}

/// A threadgroup computes a frame.
template <class D, bool is_held>
[[max_total_threads_per_threadgroup(wide_count)]] kernel void emissions_wide(
    constant Shape& shape [[buffer(shape_index)]], device const Row* rows [[buffer(rows_index)]],
    device const D* activations [[buffer(activations_index)]], device const uint* classes [[buffer(classes_index)]],
    device Scaled* table [[buffer(emissions_index)]], device float* normalizers [[buffer(normalizers_index)]],
    device D* gradient [[buffer(gradient_index)]], threadgroup float* held [[threadgroup(0)]],
    uint2 group [[threadgroup_position_in_grid]], uint thread_index [[thread_index_in_threadgroup]],
    uint lane [[thread_index_in_simdgroup]], uint simdgroup [[simdgroup_index_in_threadgroup]]) {
  threadgroup float parts[2 * wide_simdgroups];
  const uint b = shape.first_row + group.x;
  compute_frame<D, wide_count, is_held>(shape, rows[b], b, group.y,
                                        {activations, classes, table, normalizers, gradient}, held, thread_index,
                                        OfThreadgroup{parts, lane, simdgroup});
}

}  // namespace ctc
}  // namespace assay
