// alpha, beta, loss and gradient of longer rows: a threadgroup per row, its threads looping over the states.
//
// The recursions are those of ctc_forward.h and ctc_backward.h; neighbouring states meet in columns of L cells, which
// lie in threadgroup memory where they fit and else in device memory. Frame t writes the columns of t % 2 and reads
// those of the frame before it, so that one barrier a frame keeps writers from readers.
#pragma once

#include "ctc_gradient.h"
#include "ctc_loss.h"

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

/// Columns in device memory; partial sums are in threadgroup memory all the same.
struct InDevice {
  static void meet() { threadgroup_barrier(mem_flags::mem_device | mem_flags::mem_threadgroup); }
};

/// What comes into a state at frame t from alpha(t-1). alpha(-1), of which there is no column, is 1 in state 0 alone.
template <class Column>
Scaled into_state(Labels labels, uint i, bool is_first, Column previous) {
  if (is_first) return i < 2 ? one() : zero();
  const Scaled neighbour = i > 0 ? Scaled(previous[i - 1]) : zero();
  const Scaled skipped = labels.may_skip_to(i) ? Scaled(previous[i - 2]) : zero();
  return add(previous[i], neighbour, skipped);
}

/// beta(t) of a state from next(t), which at the last frame is 1 in the last state alone.
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

/// p from the last column, if there is a frame at all (eq. 8).
template <class Column>
Scaled total_probability(Labels labels, uint frames, Column alpha) {
  const uint L = labels.state_count();
  if (frames == 0) return L == 1 ? one() : zero();
  return L == 1 ? Scaled(alpha[0]) : add(alpha[L - 1], alpha[L - 2]);
}

/// Sums over a threadgroup, of its blanks and of all its states.
struct Sums {
  Scaled blank, all;
};

/// What simdgroups have summed up, of this frame and the one before.
struct Partials {
  Sums at[2][lane_count];
};

inline Sums simdgroup_sums(Sums sums) {
  return {simdgroup_sum(sums.blank), simdgroup_sum(sums.all)};
}

/// Of all simdgroups, after the barrier; each thread gets the same bits.
inline Sums total_sums(threadgroup const Sums* partials, Place place) {
  Sums sums = {zero(), zero()};
  if (place.lane * lane_count < place.thread_count) sums = {partials[place.lane].blank, partials[place.lane].all};
  return simdgroup_sums(sums);
}

/// next(t-1) and the products of the labels, from next(t); returns the products' sums over this thread's states.
template <class Column>
Sums backward_frame(Labels labels, bool is_last, device const Scaled* y, device const Scaled* alpha, Column later,
                    Column next, Column products, Place place) {
  Sums sums = {zero(), zero()};
  for (uint i = place.thread_index; i < labels.state_count(); i += place.thread_count) {
    const Scaled beta = out_of_state(labels, i, is_last, later);
    const Scaled product = multiply(alpha[i], beta);
    next[i] = multiply(y[labels.slot(i)], beta);
    if (i % 2 == 1)
      products[i / 2] = product;
    else
      sums.blank = add(sums.blank, product);
    sums.all = add(sums.all, product);
  }
  return sums;
}

/// The products of one class, those of its labels in their order.
template <class Column>
Scaled class_sum(uint slot, Scaled blank, Column products, device const uint* order, device const uint* ends) {
  if (slot == 0) return blank;
  Scaled sum = zero();
  for (uint place = ends[slot - 1]; place < ends[slot]; ++place) sum = add(sum, products[order[place]]);
  return sum;
}

/// `cells`: two columns of L states, then two of the products of the labels.
template <class Space, class D, class Column>
void backward_frames(Shape shape, Row row, uint b, Labels labels, GradientOf<D> of, device const Scaled* alpha,
                     Column cells, threadgroup Partials& partials, Place place) {
  const ulong L = labels.state_count();
  for (uint t = row.frames; t-- > 0;) {
    const uint half = t % 2;
    Column products = cells + 2 * L + half * ulong(labels.count);
    const Sums mine =
        simdgroup_sums(backward_frame(labels, t + 1 == row.frames, of.emissions + ulong(t) * row.classes,
                                      alpha + ulong(t) * L, cells + (1 - half) * L, cells + half * L, products, place));
    if (place.lane == 0) partials.at[half][place.simdgroup] = mine;
    Space::meet();
    const Sums sums = total_sums(partials.at[half], place);
    for (uint slot = place.thread_index; slot < row.classes; slot += place.thread_count)
      write_posterior(of, shape, row, b, t, slot,
                      quotient(class_sum(slot, sums.blank, products, of.order, of.ends), sums.all));
  }
}

/// The gradient of row b, by its threadgroup. `of` and `alphas` are of all rows, `cells` of this one.
template <class Space, class D, class Column>
void backward_group(Shape shape, Row row, uint b, Labels labels, GradientOf<D> of, device const Scaled* alphas,
                    Column cells, threadgroup Partials& partials, Place place) {
  if (row.frames == 0) return;
  device const Scaled* const alpha = alphas + row.alpha_begin;
  device const Scaled* const last = alpha + ulong(row.frames - 1) * labels.state_count();
  if (is_zero(total_probability(labels, row.frames, last)))
    return fill_gradient(shape, row, b, of.gradient, place.thread_index, place.thread_count);
  backward_frames<Space>(shape, row, b, labels, of_row(of, row), alpha, cells, partials, place);
}

}  // namespace ctc
}  // namespace assay
