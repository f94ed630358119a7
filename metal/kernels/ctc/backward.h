// beta and the gradient of rows of up to 32 N states. A simdgroup computes a row with all states in registers.
//
//   beta(t, i) =   next(t, i) + next(t, i+1) + [skip into i+2] next(t, i+2)
//   next(t, i) = y(t+1, i) * beta(t+1, i)                                     (Graves et al. 2006, eqs. 9 to 11)
//   N(t, k)    = sum of alpha(t, i) * beta(t, i) over the states i of class k
//   posterior  = N(t, k) / sum of N(t, .)                                     (eqs. 14 and 15)
//   gradient   = weight * (y - posterior), or weight * -posterior             (eq. 16)
//
// beta does not contain y(t, i), so N needs no division. N sums to p~ at every t; normalizing each frame cancels the
// rounding errors that are common to all states. next(T-1) is 1 in the last state and 0 elsewhere.
// alpha, emissions, normalizers  ->  gradient [T, B, C] of the classes that occur in the row
#pragma once

#include "gradient.h"
#include "lanes.h"

namespace assay {
namespace ctc {

enum { max_lane_labels = 128 };

/// alpha * beta of the labels of a row, for this frame and the one before.
struct LabelProducts {
  float at[2][max_lane_labels];
};

template <int N>
Cells<N> backward_start(Lane<N> lane) {
  Cells<N> cells;
  for (int n = 0; n < N; ++n) cells.at[n] = lane.state(n) + 1 == lane.count ? one() : zero();
  return cells;
}

/// beta from next, not normalized.
template <int N>
Cells<N> backward_step(Lane<N> lane, Cells<N> next) {
  const Scaled above = from_above(next.at[0], 1, lane.index);
  const Scaled second_above = from_above(next.at[N > 1], N > 1 ? 1 : 2, lane.index);
  Cells<N> beta;
  for (int n = 0; n < N; ++n) {
    const Scaled following = n + 1 < N ? next.at[n + 1] : above;
    const Scaled second = n + 2 < N ? next.at[n + 2] : n + 2 == N ? above : second_above;
    beta.at[n] = add(next.at[n], following, lane.skips_on[n] ? second : zero());
  }
  return beta;
}

template <int N>
Cells<N> multiply(Cells<N> a, Cells<N> b) {
  Cells<N> product;
  for (int n = 0; n < N; ++n) product.at[n] = multiply(a.at[n], b.at[n]);
  return product;
}

/// Stores the products of the labels in `products`. Returns the sum over blanks and the sum over all states, with one
/// exponent. All lanes must call it.
template <int N>
float2 share_products(Lane<N> lane, Cells<N> cells, threadgroup float* products) {
  int highest = min_exponent;
  for (int n = 0; n < N; ++n) highest = max(highest, cells.at[n].exponent);
  const int scale = simd_max(highest) - product_exponent;
  float2 sums[N];
  for (int n = 0; n < N; ++n) {
    const float product = aligned(cells.at[n], scale);
    const bool is_label = lane.state(n) % 2 == 1;
    sums[n] = float2(is_label ? 0.0f : product, product);
    if (is_label && lane.holds(n)) products[lane.state(n) / 2] = product;
  }
  for (int width = 1; width < N; width *= 2)
    for (int n = 0; n < N; n += 2 * width) sums[n] += sums[n + width];
  return simdgroup_sum(sums[0]);
}

/// The sum of the products of one class, over its labels in order.
inline float class_sum(uint slot, float blank, threadgroup const float* products, device const uint* order,
                       device const uint* ends) {
  if (slot == 0) return blank;
  float sum = 0.0f;
  for (uint place = ends[slot - 1]; place < ends[slot]; ++place) sum += products[order[place]];
  return sum;
}

/// The values of one frame that a lane needs.
template <int N>
struct LaneFrame {
  Cells<N> y, alpha;
};

template <int N>
LaneFrame<N> load_frame(Row row, uint t, Lane<N> lane, device const Scaled* emissions, device const Scaled* alpha) {
  return {load_emissions(lane, emissions + ulong(t) * row.classes), load_states(lane, alpha + ulong(t) * lane.count)};
}

template <int N, class D>
void backward_row(Shape shape, Row row, uint b, Lane<N> lane, GradientOf<D> of, device const Scaled* alpha,
                  threadgroup LabelProducts& shared) {
  Cells<N> next = backward_start(lane);
  LaneFrame<N> ahead = load_frame(row, row.frames - 1, lane, of.emissions, alpha);
  for (uint t = row.frames; t-- > 0;) {
    const LaneFrame<N> frame = ahead;
    ahead = load_frame(row, max(t, 1u) - 1, lane, of.emissions, alpha);
    const Cells<N> beta = backward_step(lane, next);
    next = multiply(frame.y, beta);
    threadgroup float* const products = shared.at[t % 2];
    const float2 sums = share_products(lane, multiply(frame.alpha, beta), products);
    simdgroup_barrier(mem_flags::mem_threadgroup);
    for (uint slot = lane.index; slot < row.classes; slot += lane_count)
      write_posterior(of, shape, row, b, t, slot, class_sum(slot, sums.x, products, of.order, of.ends) / sums.y);
  }
}

template <int N, class D>
[[max_total_threads_per_threadgroup(32)]] kernel void backward(
    constant Shape& shape [[buffer(shape_index)]], device const Row* rows [[buffer(rows_index)]],
    device const uint* slots [[buffer(slots_index)]], device const uint* order [[buffer(order_index)]],
    device const uint* ends [[buffer(ends_index)]], device const uint* classes [[buffer(classes_index)]],
    device const Scaled* emissions [[buffer(emissions_index)]],
    device const float* normalizers [[buffer(normalizers_index)]], device const Scaled* alphas [[buffer(alpha_index)]],
    device D* gradient [[buffer(gradient_index)]], uint group [[threadgroup_position_in_grid]],
    uint lane_index [[thread_index_in_simdgroup]]) {
  threadgroup LabelProducts shared;
  const uint b = shape.first_row + group;
  const Row row = rows[b];
  if (row.frames == 0) return;
  const Lane<N> lane = lane_of<N>(labels_of(row, slots), lane_index);
  device const Scaled* const alpha = alphas + row.alpha_begin;
  const Cells<N> last = load_states(lane, alpha + ulong(row.frames - 1) * lane.count);
  if (is_zero(sum_of_last_two(lane, last))) return fill_gradient(shape, row, b, gradient, lane_index, lane_count);
  const GradientOf<D> of = of_row<D>({order, ends, classes, emissions, normalizers, gradient}, row);
  backward_row(shape, row, b, lane, of, alpha, shared);
}

}  // namespace ctc
}  // namespace assay
