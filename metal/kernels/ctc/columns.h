// alpha, beta, loss and gradient of longer rows. A threadgroup computes a row; its threads loop over the states.
//
// The recursions are those of forward.h and backward.h. Threads exchange states through columns of L cells, in
// threadgroup memory if they fit, else in device memory. Frame t writes the columns of t % 2 and reads the others, so
// one barrier per frame separates writes from reads.
#pragma once

#include "gradient.h"
#include "loss.h"

namespace assay {
namespace ctc {

/// A thread's place in its threadgroup, which is a whole number of simdgroups.
struct Place {
  uint thread_index, thread_count, lane, simdgroup;
};

/// Columns in threadgroup memory.
struct InThreadgroup {
  static void meet() { threadgroup_barrier(mem_flags::mem_threadgroup); }
};

/// Columns in device memory. Partial sums are in threadgroup memory.
struct InDevice {
  static void meet() { threadgroup_barrier(mem_flags::mem_device | mem_flags::mem_threadgroup); }
};

/// The sum of alpha(t-1) over the states that lead to a state at frame t. alpha(-1), which has no column, is 1 in state
/// 0 and 0 elsewhere.
template <class Column>
Scaled into_state(Labels labels, uint i, bool is_first, Column previous) {
  if (is_first) return i < 2 ? one() : zero();
  const Scaled neighbour = i > 0 ? Scaled(previous[i - 1]) : zero();
  const Scaled skipped = labels.may_skip_to(i) ? Scaled(previous[i - 2]) : zero();
  return add(previous[i], neighbour, skipped);
}

/// beta(t) of a state from next(t), which at the last frame is 1 in the last state and 0 elsewhere.
template <class Column>
Scaled out_of_state(Labels labels, uint i, bool is_last, Column next) {
  const uint L = labels.state_count();
  if (is_last) return i + 2 >= L ? one() : zero();
  const Scaled neighbour = i + 1 < L ? Scaled(next[i + 1]) : zero();
  const Scaled skipped = labels.may_skip_to(i + 2) ? Scaled(next[i + 2]) : zero();
  return add(next[i], neighbour, skipped);
}

/// alpha(t) from alpha(t-1).
template <class Column>
void forward_frame(Labels labels, bool is_first, device const Scaled* y, Column previous, Column alpha, Place place) {
  for (uint i = place.thread_index; i < labels.state_count(); i += place.thread_count)
    alpha[i] = multiply(y[labels.slot(i)], into_state(labels, i, is_first, previous));
}

/// p from the last column, or from alpha(-1) if there are no frames (eq. 8).
template <class Column>
Scaled total_probability(Labels labels, uint frames, Column alpha) {
  const uint L = labels.state_count();
  if (frames == 0) return L == 1 ? one() : zero();
  return L == 1 ? Scaled(alpha[0]) : add(alpha[L - 1], alpha[L - 2]);
}

/// The sums of the products over blanks and over all states.
struct Sums {
  Scaled blank, all;
};

/// Block k of 32 states adds to part k % 64. So the result does not depend on the number of simdgroups, which follows
/// from the longest row of the batch.
enum { part_count = 2 * lane_count };

/// The parts for this frame and for the one before.
struct Parts {
  Sums at[2][part_count];
};

/// The two sums, with one exponent.
struct ScaledSums {
  float blank, all;
  int exponent;
};

inline ScaledSums simdgroup_sums(Sums x, Sums y) {
  const int exponent = simd_max(max(x.all.exponent, y.all.exponent)) - product_exponent;
  const float2 sums = simdgroup_sum(float2(aligned(x.blank, exponent) + aligned(y.blank, exponent),
                                           aligned(x.all, exponent) + aligned(y.all, exponent)));
  return {sums.x, sums.y, exponent};
}

/// The total of all parts, after the barrier. All threads get the same bits.
inline ScaledSums total_sums(threadgroup const Sums* parts, Place place) {
  return simdgroup_sums(parts[2 * place.lane], parts[2 * place.lane + 1]);
}

/// Computes next(t-1) and, for a label, the product of one state from next(t). Returns the product.
template <class Column>
Scaled backward_state(Labels labels, uint i, bool is_last, device const Scaled* y, device const Scaled* alpha,
                      Column later, Column next, Column products) {
  const Scaled beta = out_of_state(labels, i, is_last, later);
  const Scaled product = multiply(alpha[i], beta);
  next[i] = multiply(y[labels.slot(i)], beta);
  if (i % 2 == 1) products[i / 2] = product;
  return product;
}

/// Does this for all states of this simdgroup, and stores the sums of the products in `parts`.
template <class Column>
void backward_frame(Labels labels, bool is_last, device const Scaled* y, device const Scaled* alpha, Column later,
                    Column next, Column products, threadgroup Parts& parts, uint parity, Place place) {
  const Sums nothing = {zero(), zero()};
  for (uint part = place.simdgroup; part < part_count; part += place.thread_count / lane_count) {
    Sums sums = nothing;
    for (uint first = part * lane_count; first < labels.state_count(); first += part_count * lane_count) {
      const uint i = first + place.lane;
      const Scaled product =
          i < labels.state_count() ? backward_state(labels, i, is_last, y, alpha, later, next, products) : zero();
      const Sums mine = {i % 2 == 0 ? product : zero(), product};
      const ScaledSums block = simdgroup_sums(mine, nothing);
      sums.blank = add(sums.blank, normalized(block.blank, block.exponent));
      sums.all = add(sums.all, normalized(block.all, block.exponent));
    }
    if (place.lane == 0) parts.at[parity][part] = sums;
  }
}

/// N(t, k) / sum of N(t, .), from the products of the labels of one class in order.
template <class Column>
float posterior(uint slot, ScaledSums sums, Column products, device const uint* order, device const uint* ends) {
  if (slot == 0) return sums.blank / sums.all;
  Scaled sum = zero();
  for (uint place = ends[slot - 1]; place < ends[slot]; ++place) sum = add(sum, products[order[place]]);
  return aligned(sum, sums.exponent) / sums.all;
}

/// `cells`: two columns of L states, then two of the products of the labels.
template <class Space, class D, class Column>
void backward_frames(Shape shape, Row row, uint b, Labels labels, GradientOf<D> of, device const Scaled* alpha,
                     Column cells, threadgroup Parts& parts, Place place) {
  const ulong L = labels.state_count();
  for (uint t = row.frames; t-- > 0;) {
    const uint parity = t % 2;
    const Column products = cells + 2 * L + parity * ulong(labels.count);
    backward_frame(labels, t + 1 == row.frames, of.emissions + ulong(t) * row.classes, alpha + ulong(t) * L,
                   cells + (1 - parity) * L, cells + parity * L, products, parts, parity, place);
    Space::meet();
    const ScaledSums sums = total_sums(parts.at[parity], place);
    for (uint slot = place.thread_index; slot < row.classes; slot += place.thread_count)
      write_posterior(of, shape, row, b, t, slot, posterior(slot, sums, products, of.order, of.ends));
  }
}

/// The gradient of row b. `of` and `alphas` hold all rows, `cells` this row only.
template <class Space, class D, class Column>
void backward_group(Shape shape, Row row, uint b, Labels labels, GradientOf<D> of, device const Scaled* alphas,
                    Column cells, threadgroup Parts& parts, Place place) {
  if (row.frames == 0) return;
  device const Scaled* const alpha = alphas + row.alpha_begin;
  device const Scaled* const last = alpha + ulong(row.frames - 1) * labels.state_count();
  if (is_zero(total_probability(labels, row.frames, last)))
    return fill_gradient(shape, row, b, of.gradient, place.thread_index, place.thread_count);
  backward_frames<Space>(shape, row, b, labels, of_row(of, row), alpha, cells, parts, place);
}

}  // namespace ctc
}  // namespace assay
