// The gradient of the classes that occur in a row, from alpha and beta. A simdgroup computes a frame of a row. It
// replaces the values that ctc_emissions wrote.
//
//   N(t, k)    = sum of alpha(t, i) * beta(t, i) over the states i of class k
//   posterior  = N(t, k) / sum of N(t, .)                                     (Graves et al. 2006, eqs. 14 and 15)
//   gradient   = weight * (y - posterior), or weight * -posterior             (eq. 16; with respect to ln y)
//
// beta does not contain y(t, i), so N needs no division. N sums to p~ at every t; to normalize each frame cancels the
// rounding errors that are common to all states.
// alpha, beta, emissions, normalizers  ->  gradient [T, B, C]
#pragma once

#include "row.h"
#include "simdgroup.h"

namespace assay {
namespace ctc {

/// The products alpha * beta of a row are scaled so that p~ is near 2^90: sums do not overflow, and a quotient that
/// becomes a subnormal float32 keeps all its digits until it is rounded.
enum { product_exponent = 90 };

/// alpha and beta of one frame, in the states of an alignment at that time (row.h): begin .. end - 1. beta is stored
/// from the last state to the first.
struct Frame {
  device const Scaled* alpha;
  device const Scaled* beta;
  uint count;  ///< L
  uint begin, end;
  int total;  ///< the exponent of p~

  /// The first state of a lane, which has every 32nd.
  uint first_of(uint lane) const { return begin + (lane - begin) % lane_count; }

  bool has(uint i) const { return begin <= i && i < end; }

  /// alpha * beta of state i in units of 2^(total - product_exponent). No product is larger than p~, except for
  /// rounding and for exponents that saturated.
  float product(uint i) const {
    const Scaled a = alpha[i], b = beta[count - 1 - i];
    const int exponent = clamp(a.exponent + b.exponent, int(min_exponent), total + 1);
    return a.mantissa * b.mantissa * power_of_two(exponent - total + product_exponent);
  }
};

/// The exponent of p~ from the states that alpha ends in; to it the products of each frame add up.
inline int total_exponent(Row row, device const Scaled* alphas) {
  const Reach last = reach_of(row, row.frames - 1);
  device const Scaled* const alpha = alphas + ulong(row.frames - 1) * frame_cells(row);
  int exponent = min_exponent;
  for (uint i = last.begin; i < last.end; ++i) exponent = max(exponent, alpha[i].exponent);
  return exponent;
}

/// The sums of the products of blanks and of labels.
struct FrameSums {
  float blanks, labels;

  float all() const { return blanks + labels; }
};

/// Even lanes add blanks, odd lanes labels. All lanes must call it.
inline FrameSums sums_of_frame(Frame frame, uint lane) {
  float sum = 0.0f;
  for (uint i = frame.first_of(lane); i < frame.end; i += lane_count) sum += frame.product(i);
  const float2 sums = simdgroup_sum(lane % 2 == 0 ? float2(sum, 0.0f) : float2(0.0f, sum));
  return {sums.x, sums.y};
}

/// dL/da = y - posterior (eq. 16), dL/d ln y = -posterior.
inline float gradient_of(Row row, float y, float posterior) {
  return row.weight * ((of_logits ? y : 0.0f) - posterior);
}

template <class D>
void fill_frame(device D* frame, D value, ulong C, uint lane, uint step) {
  for (ulong k = lane; k < C; k += step) frame[k] = value;
}

/// The buffers of a row from which its posteriors follow.
struct Slots {
  device const uint* order;
  device const uint* ends;
  device const uint* classes;
};

/// A class that occurs in the row: its labels in `order`, its emission, and its element of the gradient until now.
template <class D>
struct Slot {
  uint class_index, begin, end;
  Scaled y;
  D before;
};

/// The last slot of `count` in place of one that does not exist. Its element of the gradient is not loaded: another
/// lane writes it.
template <class D>
Slot<D> load_slot(Slots slots, uint slot, uint count, device const Scaled* y, device const D* gradient) {
  const uint n = min(slot, count - 1), class_index = slots.classes[n];
  return {class_index, n == 0 ? 0 : slots.ends[n - 1], slots.ends[n], y[n],
          slot < count ? gradient[class_index] : D(0.0f)};
}

/// The sum of the products of one class, over its labels in order.
inline float class_sum(Frame frame, device const uint* order, uint begin, uint end) {
  float sum = 0.0f;
  for (uint place = begin; place < end; ++place) {
    const uint i = 2 * order[place] + 1;
    if (frame.has(i)) sum += frame.product(i);
  }
  return sum;
}

/// `ahead`: the slot of this lane. A slot is loaded before the one ahead of it is computed. Slot 0 is the blank.
/// The element that is written has been read: where C is large each lies in another line of the cache, and to write a
/// part of a line that is not there takes longer than to load it early.
template <class D>
void write_posteriors(Row row, Frame frame, FrameSums sums, Slots slots, Slot<D> ahead, device const Scaled* y,
                      float normalizer, device D* gradient, uint lane) {
  for (uint n = lane; n < row.classes; n += lane_count) {
    const Slot<D> slot = ahead;
    ahead = load_slot<D>(slots, n + lane_count, row.classes, y, gradient);
    const float sum = n == 0 ? sums.blanks : class_sum(frame, slots.order, slot.begin, slot.end);
    const D result = D(gradient_of(row, to_float(slot.y) / normalizer, sum / sums.all()));
    if (result != slot.before) gradient[slot.class_index] = result;
  }
}

/// The products of a row without an alignment are all 0. Its gradient is NaN, or 0.
template <class D>
[[max_total_threads_per_threadgroup(256)]] kernel void gradient(
    constant Shape& shape [[buffer(shape_index)]], device const Row* rows [[buffer(rows_index)]],
    device const uint* order [[buffer(order_index)]], device const uint* ends [[buffer(ends_index)]],
    device const uint* classes [[buffer(classes_index)]], device const Scaled* emissions [[buffer(emissions_index)]],
    device const float* normalizers [[buffer(normalizers_index)]], device const Scaled* alphas [[buffer(alpha_index)]],
    device const Scaled* betas [[buffer(beta_index)]], device D* gradients [[buffer(gradient_index)]],
    uint2 group [[threadgroup_position_in_grid]], uint lane [[thread_index_in_simdgroup]],
    uint simdgroup [[simdgroup_index_in_threadgroup]], uint simdgroup_count [[simdgroups_per_threadgroup]]) {
  const uint b = shape.first_row + group.x, t = group.y * simdgroup_count + simdgroup;
  const Row row = rows[b];
  if (t >= row.frames) return;
  const ulong begin = ulong(t) * frame_cells(row);
  const Reach reach = reach_of(row, t);
  device const Scaled* const alpha = alphas + row.alpha_begin;
  const Frame frame = {alpha + begin, betas + row.beta_begin + begin, 2 * row.labels + 1, reach.begin,
                       reach.end,     total_exponent(row, alpha)};
  const Slots row_slots = {order + row.labels_begin, ends + row.classes_begin, classes + row.classes_begin};
  device const Scaled* const y = emissions + row.emissions_begin + ulong(t) * row.classes;
  device D* const gradient = gradients + frame_begin(shape, t, b);
  const float normalizer = normalizers[ulong(t) * ulong(shape.B) + b];
  const Slot<D> first = load_slot<D>(row_slots, lane, row.classes, y, gradient);
  const FrameSums sums = sums_of_frame(frame, lane);
  simdgroup_barrier(mem_flags::mem_device);  // to fill the frame, a lane writes elements that others have loaded
  if (sums.all() == 0.0f)
    return fill_frame(gradient, D(shape.zero_infinity != 0 ? 0.0f : NAN), ulong(shape.C), lane, lane_count);
  write_posteriors(row, frame, sums, row_slots, first, y, normalizer, gradient, lane);
}

}  // namespace ctc
}  // namespace assay
