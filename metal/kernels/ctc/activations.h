// The activations of one frame, and what follows from them: the largest, the sum of exponentials, outputs and
// emissions. The threads of a simdgroup keep a frame in registers; those of a threadgroup keep it in threadgroup
// memory, or read it again.
#pragma once

#include "../four.h"
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

/// In registers, for at most frame_classes classes. A lane takes every 32nd class.
template <class D>
struct InRegisters {
  enum { count = lane_count, lane_classes = frame_classes / lane_count };

  Activations<D, lane_count> of;
  float held[lane_classes];

  uint class_count() const { return uint(of.C); }

  float largest() {
    float result = -INFINITY;
#pragma unroll
    for (uint n = 0; n < lane_classes; ++n)
      if (n * lane_count < class_count()) {
        const uint k = n * lane_count + of.thread_index;
        held[n] = k < class_count() ? float(of.values[k]) : -INFINITY;
        result = max(result, held[n]);
      }
    return result;
  }

  /// From now on the exponentials are held.
  float sum_of_exponentials(float shift) {
    float sum = 0.0f;
#pragma unroll
    for (uint n = 0; n < lane_classes; ++n)
      if (n * lane_count < class_count()) {
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
      if (k < class_count()) gradient[k] = D(factor * held[n]);
    }
  }
};

/// In parts, for any number of classes. A thread takes four neighbouring classes of each part. `held`: what the threads
/// have computed, if is_held. `is_aligned`: C is a multiple of four, and the frames are aligned to four elements.
template <class D, bool is_held, bool is_aligned>
struct InParts {
  enum { count = wide_count, part_classes = 4 * wide_count };

  Activations<D, wide_count> of;
  threadgroup float4* held;

  /// The classes k .. k + 3; -inf past the last class.
  float4 load(ulong k) const {
    return float4(is_aligned ? aligned_four(of.values, k) : load_four(of.values, k, of.C, D(-INFINITY)));
  }

  void store(float4 y, ulong k, device D* gradient) const {
    if (is_aligned) return store_aligned_four(y, gradient, k);
    store_four(y, gradient, k, of.C);
  }

  threadgroup float4& held_at(ulong k) const { return held[uint(k) / 4]; }

  float largest() const {
    float4 result = -INFINITY;
    for (ulong k = 4 * of.thread_index; k < of.C; k += part_classes) {
      const float4 a = load(k);
      if (is_held) held_at(k) = a;
      result = max(result, a);
    }
    return max(max(result.x, result.y), max(result.z, result.w));
  }

  float4 exponentials(ulong k, float shift) const {
    const float4 a = is_held ? held_at(k) : load(k);
    return {exponential_below(a.x, shift), exponential_below(a.y, shift), exponential_below(a.z, shift),
            exponential_below(a.w, shift)};
  }

  /// From now on the exponentials are held.
  float sum_of_exponentials(float shift) const {
    float4 sum = 0.0f;
    for (ulong k = 4 * of.thread_index; k < of.C; k += part_classes) {
      const float4 e = exponentials(k, shift);
      if (is_held) held_at(k) = e;
      sum += e;
    }
    return (sum.x + sum.y) + (sum.z + sum.w);
  }

  /// factor * exp(a - shift), from which the posteriors of the classes that occur are subtracted later.
  void write_outputs(float shift, float factor, device D* gradient) const {
    for (ulong k = 4 * of.thread_index; k < of.C; k += part_classes)
      store(factor * (is_held ? held_at(k) : exponentials(k, shift)), k, gradient);
  }
};

}  // namespace ctc
}  // namespace assay
