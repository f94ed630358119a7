// alpha of a row and, beside it, beta: each by a threadgroup that keeps all states in registers.
//
//   alpha(t, i) = y(t, i) * (alpha(t-1, i) + alpha(t-1, i-1) + [skip into i] alpha(t-1, i-2))
//   p           = alpha(T-1, L-1) + alpha(T-1, L-2)                           (Graves et al. 2006, eqs. 6 to 8)
//
// The recursion starts from a virtual frame: alpha(-1) is 1 in state 0, else 0. beta (eqs. 9 to 11) is the same
// recursion over the reversed row: last frame first, last label first. Its table keeps the sum in parentheses, which is
// beta without y(t, i), so that alpha * beta needs no division.
//
// Thread j holds states N j .. N j + N - 1, of which the even ones are blanks. A frame needs one state of the thread
// below: by a shuffle, and from another simdgroup through threadgroup memory. States from L on get values too, which no
// state below L depends on.
//
// emissions, each row [frames, classes]  ->  alpha and beta, each row [frames, L + 1]; losses [B]
#pragma once

#include "loss.h"

namespace assay {
namespace ctc {

/// Emissions are loaded this many frames before they are needed: a load takes longer than a frame.
enum { frames_ahead = 4, max_simdgroups = 32 };

/// A thread's place in its threadgroup, which is a whole number of simdgroups.
struct Place {
  uint lane, simdgroup, simdgroup_count;

  uint thread_index() const { return simdgroup * lane_count + lane; }
};

/// A thread's states: the first one, and of each label its slot and whether an alignment may skip to it.
template <int N>
struct States {
  uint first;
  uint slots[N / 2];
  bool skips[N / 2];
};

template <int N>
struct Cells {
  Scaled at[N];
};

/// y of a thread's states.
template <int N>
struct Emissions {
  Scaled blank;
  Scaled labels[N / 2];
};

template <int N>
States<N> states_of(Labels labels, uint thread_index) {
  States<N> states;
  states.first = N * thread_index;
  for (int n = 0; n < N / 2; ++n) {
    const uint state = states.first + 2 * n + 1;
    states.slots[n] = state < labels.state_count() ? labels.slot(state) : 0;
    states.skips[n] = labels.may_skip_to(state);
  }
  return states;
}

/// The frames of a row in the order of the steps: from the start, or from the end.
struct Steps {
  long first, step;

  long frame(uint n) const { return first + step * long(n); }
};

inline Steps steps_of(Row row, bool is_reversed) {
  return is_reversed ? Steps{long(row.frames) - 1, -1} : Steps{0, 1};
}

template <int N>
Emissions<N> load_emissions(States<N> states, device const Scaled* frame) {
  Emissions<N> y;
  y.blank = frame[0];
  for (int n = 0; n < N / 2; ++n) y.labels[n] = frame[states.slots[n]];
  return y;
}

/// Stores two cells at once, if an alignment can be in either state. An alignment has label j, or the blank before it,
/// in frames j .. j + `spare` alone. `age`: the frame less j of the thread's first label; negative numbers wrap. The
/// second cell may be the one past the last state, which nothing reads.
template <int N>
void store_cells(States<N> states, Cells<N> cells, device Scaled* frame, uint count, uint age, uint spare) {
  for (int n = 0; n < N; n += 2)
    if (states.first + n < count && age - n / 2 <= spare)
      *(device uint4*)(frame + states.first + n) =
          uint4(as_type<uint>(cells.at[n].mantissa), as_type<uint>(cells.at[n].exponent),
                as_type<uint>(cells.at[n + 1].mantissa), as_type<uint>(cells.at[n + 1].exponent));
}

/// The last state of the thread below. `edges`: the last states of the simdgroups in the frame before.
inline Scaled from_below(Scaled last, threadgroup const Scaled* edges, Place place) {
  Scaled below = {simd_shuffle_up(last.mantissa, 1), simd_shuffle_up(last.exponent, 1)};
  if (place.simdgroup_count > 1) {
    const Scaled edge = edges[max(place.simdgroup, 1u) - 1];
    below = place.lane == 0 ? edge : below;
  }
  return place.thread_index() == 0 ? zero() : below;
}

/// Passes the last state of a simdgroup to the one above. All threads of a group must call it.
inline void pass_edge(Scaled last, threadgroup Scaled* edges, Place place) {
  if (place.simdgroup_count == 1) return;
  if (place.lane == lane_count - 1) edges[place.simdgroup] = last;
  threadgroup_barrier(mem_flags::mem_threadgroup);
}

template <int N>
Cells<N> virtual_frame(States<N> states) {
  Cells<N> cells;
  for (int n = 0; n < N; ++n) cells.at[n] = zero();
  if (states.first == 0) cells.at[0] = one();
  return cells;
}

/// The sums over the states that lead to each state. No skip leads to a blank.
template <int N>
Cells<N> sums_into(States<N> states, Cells<N> cells, Scaled below) {
  Cells<N> sums;
  for (int n = 0; n < N; n += 2) {
    const Scaled second = n == 0 ? below : cells.at[n - 1];
    sums.at[n] = unnormalized_sum(cells.at[n], second);
    sums.at[n + 1] = unnormalized_sum(cells.at[n + 1], cells.at[n], states.skips[n / 2] ? second : zero());
  }
  return sums;
}

template <int N>
Cells<N> multiply(Emissions<N> y, Cells<N> sums) {
  Cells<N> products;
  for (int n = 0; n < N; n += 2) {
    products.at[n] = multiply(y.blank, sums.at[n]);
    products.at[n + 1] = multiply(y.labels[n / 2], sums.at[n + 1]);
  }
  return products;
}

/// p from the last frame, in all lanes of the simdgroup that holds the last state; elsewhere zero.
template <int N>
Scaled total_probability(States<N> states, Cells<N> cells, Scaled below, uint count) {
  Scaled p = zero();
  for (int n = 0; n < N; n += 2)
    if (states.first + n + 1 == count) p = add(cells.at[n], n == 0 ? below : cells.at[n - 1]);
  return simdgroup_sum(p);
}

/// A thread's walk through the frames of a row: its states, where the emissions of its next load are, and its part of
/// alpha or beta in the next frame.
template <int N>
struct Walk {
  enum { loads_first = N > 2 };  ///< whether a frame loads before it stores: faster with many states a thread

  States<N> states;
  Cells<N> cells;
  device const Scaled* emissions;
  device Scaled* table;
  long emissions_step, table_step;
  uint count, loads_left;
  uint age, spare;                      ///< see store_cells
  uint simdgroup_age, simdgroup_spare;  ///< the same for all labels of the simdgroup
  bool keeps_frames, keeps_sums;

  /// Past the last frame, the emissions of the last frame once more.
  Emissions<N> load() {
    const Emissions<N> y = load_emissions(states, emissions);
    emissions += loads_left > 0 ? emissions_step : 0;
    loads_left = max(loads_left, 1u) - 1;
    return y;
  }

  /// One frame. Its emissions are replaced by those of a later one. With N = 2 a simdgroup computes only the frames in
  /// which an alignment can be in its states: before them its cells are zero, and after them no result needs them.
  /// `before`, `edges`: what simdgroups pass in the frame before and in this one; one barrier per frame separates
  /// writes from reads.
  void advance(thread Emissions<N>& y, threadgroup const Scaled* before, threadgroup Scaled* edges, Place place) {
    const Scaled below = from_below(cells.at[N - 1], before, place);
    const bool is_reached = N > 2 || simdgroup_age <= simdgroup_spare;
    Cells<N> sums = cells;
    if (is_reached) {
      sums = sums_into(states, cells, below);
      cells = multiply(y, sums);
    }
    if (loads_first) y = load();
    if (is_reached && keeps_frames) store_cells(states, keeps_sums ? sums : cells, table, count, age, spare);
    if (!loads_first) y = load();
    table += table_step;
    ++age;
    ++simdgroup_age;
    pass_edge(cells.at[N - 1], edges, place);
  }
};

template <int N>
Walk<N> walk_of(Row row, States<N> states, bool is_reversed, device const Scaled* emissions, device Scaled* table) {
  const Steps steps = steps_of(row, is_reversed);
  Walk<N> walk;
  walk.states = states;
  walk.cells = virtual_frame(states);
  walk.emissions = emissions + steps.frame(0) * long(row.classes);
  walk.table = table + steps.frame(0) * long(frame_cells(row));
  walk.emissions_step = steps.step * long(row.classes);
  walk.table_step = steps.step * long(frame_cells(row));
  walk.count = 2 * row.labels + 1;
  walk.age = 0 - states.first / 2;
  walk.spare = row.frames - row.labels;
  const uint simdgroup_states = N * lane_count, first = states.first / simdgroup_states * simdgroup_states;
  walk.simdgroup_age = 0 - first / 2;
  walk.simdgroup_spare = first < walk.count ? walk.spare + simdgroup_states / 2 : 0;
  walk.loads_left = row.frames - 1;
  walk.keeps_frames = with_gradient && row.labels <= row.frames;
  walk.keeps_sums = is_reversed;
  return walk;
}

/// All frames of a row. The two parts of `edges` belong to frames in turns.
template <int N>
void all_frames(thread Walk<N>& walk, uint frames, threadgroup Scaled* edges, Place place) {
  threadgroup Scaled* const even = edges;
  threadgroup Scaled* const odd = edges + max_simdgroups;
  pass_edge(zero(), odd, place);
  if (frames == 0) return;
  Emissions<N> ahead[frames_ahead];
#pragma unroll
  for (int n = 0; n < frames_ahead; ++n) ahead[n] = walk.load();
  uint step = 0;
  for (; step + frames_ahead <= frames; step += frames_ahead) {
#pragma unroll
    for (int n = 0; n < frames_ahead; ++n)
      walk.advance(ahead[n], n % 2 == 0 ? odd : even, n % 2 == 0 ? even : odd, place);
  }
#pragma unroll
  for (int n = 0; n < frames_ahead - 1; ++n)
    if (step + n < frames) walk.advance(ahead[n], n % 2 == 0 ? odd : even, n % 2 == 0 ? even : odd, place);
}

template <int N>
kernel void recursion(constant Shape& shape [[buffer(shape_index)]], device const Row* rows [[buffer(rows_index)]],
                      device const uint* slots [[buffer(slots_index)]],
                      device const Scaled* emissions [[buffer(emissions_index)]],
                      device const float* normalizers [[buffer(normalizers_index)]],
                      device Scaled* alphas [[buffer(alpha_index)]], device Scaled* betas [[buffer(beta_index)]],
                      device float* losses [[buffer(losses_index)]], uint2 group [[threadgroup_position_in_grid]],
                      uint lane [[thread_index_in_simdgroup]], uint simdgroup [[simdgroup_index_in_threadgroup]],
                      uint simdgroup_count [[simdgroups_per_threadgroup]]) {
  threadgroup Scaled edges[2 * max_simdgroups];
  const uint b = shape.first_row + group.x;
  const bool is_reversed = group.y == 1;
  const Row row = rows[b];
  const Place place = {lane, simdgroup, simdgroup_count};
  const States<N> states = states_of<N>(labels_of(row, slots, is_reversed), place.thread_index());
  device Scaled* const table = is_reversed ? betas + row.beta_begin : alphas + row.alpha_begin;
  Walk<N> walk = walk_of(row, states, is_reversed, emissions + row.emissions_begin, table);
  all_frames(walk, row.frames, edges, place);
  if (is_reversed) return;
  const uint L = 2 * row.labels + 1;
  const Scaled below = from_below(walk.cells.at[N - 1], edges + (row.frames + 1) % 2 * max_simdgroups, place);
  if (simdgroup != (L - 1) / (N * lane_count)) return;
  const float loss = row_loss(shape, row, b, total_probability(states, walk.cells, below, L), normalizers, lane);
  if (lane == 0) losses[b] = loss;
}

}  // namespace ctc
}  // namespace assay
