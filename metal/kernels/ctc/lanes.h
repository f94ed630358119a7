// A row's states in the registers of one simdgroup: lane j holds states N j .. N j + N - 1.
//
// Neighbouring states are in the same lane or come from the next lane by a shuffle, so a frame needs no barrier. In
// memory the states of a frame have another order: the first states of all lanes, then the second ones, and so on. So
// neighbouring lanes access neighbouring cells, and a frame takes L cells.
#pragma once

#include "row.h"
#include "simdgroup.h"

namespace assay {
namespace ctc {

/// A cell for each state of the lane.
template <int N>
struct Cells {
  Scaled at[N];
};

/// A lane's description of its states.
template <int N>
struct Lane {
  uint index;        ///< in the simdgroup
  uint count;        ///< L
  uint slots[N];     ///< of each state
  bool skips_in[N];  ///< whether an alignment may skip from state - 2 to it
  bool skips_on[N];  ///< whether an alignment may skip from it to state + 2

  uint state(int n) const { return N * index + n; }
  bool holds(int n) const { return state(n) < count; }

  /// The cell of this lane's n-th state in a frame.
  ulong place(int n) const { return n * (count / N) + min(uint(n), count % N) + index; }
};

template <int N>
Lane<N> lane_of(Labels labels, uint index) {
  Lane<N> lane;
  lane.index = index;
  lane.count = labels.state_count();
  for (int n = 0; n < N; ++n) {
    const uint state = N * index + n;
    lane.slots[n] = lane.holds(n) ? labels.slot(state) : 0;
    lane.skips_in[n] = labels.may_skip_to(state);
    lane.skips_on[n] = labels.may_skip_to(state + 2);
  }
  return lane;
}

/// y(t) of each state, from the row's emissions for the frame; zero if there is no state.
template <int N>
Cells<N> load_emissions(Lane<N> lane, device const Scaled* frame) {
  Cells<N> cells;
  for (int n = 0; n < N; ++n) cells.at[n] = lane.holds(n) ? frame[lane.slots[n]] : zero();
  return cells;
}

template <int N>
Cells<N> load_states(Lane<N> lane, device const Scaled* frame) {
  Cells<N> cells;
  for (int n = 0; n < N; ++n) cells.at[n] = lane.holds(n) ? frame[lane.place(n)] : zero();
  return cells;
}

template <int N>
void store_states(Lane<N> lane, Cells<N> cells, device Scaled* frame) {
  for (int n = 0; n < N; ++n)
    if (lane.holds(n)) frame[lane.place(n)] = cells.at[n];
}

/// The sum of the cells of the two given states, in all lanes.
template <int N>
Scaled sum_of_last_two(Lane<N> lane, Cells<N> cells) {
  Scaled sum = zero();
  for (int n = 0; n < N; ++n)
    if (lane.holds(n) && lane.state(n) + 2 >= lane.count) sum = add(sum, cells.at[n]);
  return simdgroup_sum(sum);
}

}  // namespace ctc
}  // namespace assay
