// The states of one row's label sequence: blank, l_1, blank, l_2, ..., l_S, blank (Graves et al. 2006, section 4.1).
//
//   L = 2S + 1 states; an alignment starts in state 0 or 1, ends in L - 2 or L - 1, and from one frame to the next
//   stays, moves on by one state, or by two where that skips a blank between different labels.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "reference/ctc/targets.h"

namespace assay::metal::cpu {

/// Whether T frames can emit the labels: T >= S + the number of labels equal to the one before.
inline bool feasible(reference::Targets labels, std::size_t T) {
  std::size_t least = labels.size();
  for (std::size_t s = 1; s < labels.size(); ++s) least += labels[s] == labels[s - 1] ? 1U : 0U;
  return T >= least;
}

/// Everything about a label sequence that the recursions read. The spans lie in a workspace.
struct States {
  std::span<std::int64_t> classes;  ///< [K] the distinct classes: the blank, then the labels as they first appear
  std::span<std::size_t> slots;     ///< [L] the class of each state, as an index into `classes`
  std::span<bool> skips;            ///< [L + 2] whether state i may be entered from i - 2; false past the end
  std::span<std::uint32_t> seen;    ///< [C] scratch: the slot of each class, or 0

  std::size_t L() const { return slots.size(); }
  std::size_t K() const { return classes.size(); }
};

/// The states of `labels`, in buffers of at least S + 1 classes, 2S + 1 slots, 2S + 3 skips and C seen.
inline States expand(reference::Targets labels, std::int64_t blank, const States& buffers) {
  const std::size_t S = labels.size(), L = 2 * S + 1;
  States states = {buffers.classes, buffers.slots.first(L), buffers.skips.first(L + 2), buffers.seen};
  states.classes[0] = blank;
  std::ranges::fill(states.slots, 0U);
  std::ranges::fill(states.skips, false);
  std::ranges::fill(states.seen, 0U);
  std::uint32_t K = 1;
  for (std::size_t s = 0; s < S; ++s) {
    std::uint32_t& slot = states.seen[static_cast<std::size_t>(labels[s])];
    if (slot == 0) states.classes[slot = K++] = labels[s];
    states.slots[2 * s + 1] = slot;
    states.skips[2 * s + 1] = s > 0 && labels[s] != labels[s - 1];
  }
  states.classes = states.classes.first(K);
  return states;
}

/// The states first..last that frame t can be in, of T: reachable from the start and able to reach the end.
struct Band {
  std::size_t first;
  std::size_t last;
};

inline Band band(std::size_t t, std::size_t T, std::size_t L) {
  const std::size_t to_come = 2 * (T - t);
  return {L > to_come ? L - to_come : 0, std::min(L - 1, 2 * t + 1)};
}

}  // namespace assay::metal::cpu
