// The activations of one frame, and what follows from them: the largest, the sum of exponentials, outputs and
// emissions. The threads of a simdgroup keep a frame in registers; those of a threadgroup keep it in threadgroup
// memory, or read it again.
#pragma once

#include "exponential.h"
#include "row.h"
#include "simdgroup.h"

namespace assay {
namespace ctc {

/// One frame of activations, which `count` threads share: each takes every count-th class.
template <class D, uint count>
struct Activations {
  device const D* values;
  ulong C;
  uint thread_index;

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

/// In registers, for at most frame_classes classes.
template <class D>
struct InRegisters {
  enum { count = lane_count, lane_classes = frame_classes / lane_count };

  Activations<D, lane_count> of;
  float held[lane_classes];

  float largest() {
    float result = -INFINITY;
#pragma unroll
    for (uint n = 0; n < lane_classes; ++n) {
      const uint k = n * lane_count + of.thread_index;
      held[n] = k < of.C ? float(of.values[k]) : -INFINITY;
      result = max(result, held[n]);
    }
    return result;
  }

  /// From now on the exponentials are held.
  float sum_of_exponentials(float shift) {
    float sum = 0.0f;
#pragma unroll
    for (uint n = 0; n < lane_classes; ++n)
      if (n * lane_count < of.C) {
        held[n] = exponential_below(held[n], shift);
        sum += held[n];
      }
    return sum;
  }

  /// factor * exp(a - shift), from which the posteriors of the classes that occur are subtracted later.
  void write_outputs(float, float factor, device D* gradient) {
#pragma unroll
    for (uint n = 0; n < lane_classes; ++n) {
      const uint k = n * lane_count + of.thread_index;
      if (k < of.C) gradient[k] = D(factor * held[n]);
    }
  }
};

/// In parts, for any number of classes. A thread takes `batch` classes at a time, so that their loads overlap. Only the
/// last part of a frame has fewer classes, and only it (`is_full` is false) asks whether a class exists. `held`: what
/// the threads have computed, if is_held.
template <class D, bool is_held>
struct InParts {
  enum { count = wide_count, part_classes = batch * wide_count };

  Activations<D, wide_count> of;
  threadgroup float* held;

  /// Where the full parts end.
  ulong full() const { return of.C / part_classes * part_classes; }

  /// Whether the n-th class of this thread in the part from `first` on exists.
  template <bool is_full>
  bool has(ulong first, uint n) const {
    return is_full || first + n * count + of.thread_index < of.C;
  }

  /// The n-th class of this thread in a part; -inf past the last class.
  template <bool is_full>
  float load(ulong first, uint n) const {
    return has<is_full>(first, n) ? float((of.values + first + of.thread_index)[n * count]) : -INFINITY;
  }

  threadgroup float* held_from(ulong first) const { return held + uint(first) + of.thread_index; }

  template <bool is_full>
  void add_to_largest(ulong first, thread float& result) const {
    float a[batch];
#pragma unroll
    for (uint n = 0; n < batch; ++n) a[n] = load<is_full>(first, n);
#pragma unroll
    for (uint n = 0; n < batch; ++n) {
      result = max(result, a[n]);
      if (is_held) held_from(first)[n * count] = a[n];
    }
  }

  float largest() const {
    float result = -INFINITY;
    for (ulong first = 0; first < full(); first += part_classes) add_to_largest<true>(first, result);
    if (full() < of.C) add_to_largest<false>(full(), result);
    return result;
  }

  template <bool is_full>
  void add_exponentials(ulong first, float shift, thread float& sum) const {
#pragma unroll
    for (uint n = 0; n < batch; ++n)
      if (is_full || first + n * count < of.C) {
        const float e = exponential_below(is_held ? held_from(first)[n * count] : load<is_full>(first, n), shift);
        if (is_held) held_from(first)[n * count] = e;
        sum += e;
      }
  }

  /// From now on the exponentials are held.
  float sum_of_exponentials(float shift) const {
    float sum = 0.0f;
    for (ulong first = 0; first < full(); first += part_classes) add_exponentials<true>(first, shift, sum);
    if (full() < of.C) add_exponentials<false>(full(), shift, sum);
    return sum;
  }

  template <bool is_full>
  void write_part(ulong first, float shift, float factor, device D* gradient) const {
#pragma unroll
    for (uint n = 0; n < batch; ++n)
      if (has<is_full>(first, n)) {
        const float e = is_held ? held_from(first)[n * count] : exponential_below(load<is_full>(first, n), shift);
        (gradient + first + of.thread_index)[n * count] = D(factor * e);
      }
  }

  /// factor * exp(a - shift), from which the posteriors of the classes that occur are subtracted later.
  void write_outputs(float shift, float factor, device D* gradient) const {
    for (ulong first = 0; first < full(); first += part_classes) write_part<true>(first, shift, factor, gradient);
    if (full() < of.C) write_part<false>(full(), shift, factor, gradient);
  }
};

}  // namespace ctc
}  // namespace assay
