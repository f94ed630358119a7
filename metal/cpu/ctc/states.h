// The states of one row's label sequence: blank, l_1, blank, l_2, ..., l_S, blank (Graves et al. 2006, section 4.1).
//
//   L = 2S + 1 states; an alignment starts in state 0 or 1, ends in L - 2 or L - 1, and from one frame to the next
//   stays, moves on by one state, or by two where that skips a blank between different labels.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>

#include "reference/ctc/targets.h"

namespace assay::metal::cpu {

/// Whether T frames can emit the labels: T >= S + the number of labels equal to the one before.
inline bool feasible(reference::Targets labels, std::size_t T) {
  std::size_t min_frames = labels.size();
  for (std::size_t s = 1; s < labels.size(); ++s) min_frames += labels[s] == labels[s - 1] ? 1U : 0U;
  return T >= min_frames;
}

/// Up to so many classes, y is kept for all of them, so that nothing has to be gathered.
inline constexpr std::size_t few_classes = 32;

/// The largest number of classes that y is kept for, with C classes and S labels.
inline std::size_t max_kept_classes(std::size_t S, std::size_t C) {
  return C <= few_classes ? C : std::min(S + 1, C);
}

/// The tables of a label sequence that the recursions read. The spans lie in a workspace.
struct States {
  /// [K] the classes that y is kept for: all, where C <= few_classes; else the blank, then the labels as they first
  /// appear.
  std::span<std::int64_t> classes;
  std::span<std::size_t> slots;   ///< [L] the class of each state, as an index into `classes`
  std::span<bool> skips;          ///< [L + 2] whether state i may be entered from i - 2; false past the end
  std::span<std::uint32_t> seen;  ///< [C] scratch: the slot of each class, or 0

  std::size_t L() const { return slots.size(); }
  std::size_t K() const { return classes.size(); }
  std::size_t blank_slot() const { return slots.front(); }
};

namespace detail {

/// Numbers the classes as they first appear, the blank first. Returns how many there are.
inline std::size_t number_classes(reference::Targets labels, std::int64_t blank, const States& states) {
  std::ranges::fill(states.seen, 0U);
  states.classes[0] = blank;
  std::uint32_t K = 1;
  for (std::size_t s = 0; s < labels.size(); ++s) {
    std::uint32_t& slot = states.seen[static_cast<std::size_t>(labels[s])];
    if (slot == 0) states.classes[slot = K++] = labels[s];
    states.slots[2 * s + 1] = slot;
  }
  return K;
}

/// Keeps all classes; the slot of a class is its number.
inline std::size_t keep_all_classes(reference::Targets labels, std::int64_t blank, const States& states) {
  std::iota(states.classes.begin(), states.classes.begin() + std::ssize(states.seen), std::int64_t{0});
  std::ranges::fill(states.slots, static_cast<std::size_t>(blank));
  for (std::size_t s = 0; s < labels.size(); ++s) states.slots[2 * s + 1] = static_cast<std::size_t>(labels[s]);
  return states.seen.size();
}

}  // namespace detail

/// The states of `labels`, in buffers of at least max_kept_classes, 2S + 1 slots, 2S + 3 skips and C seen.
inline States expand(reference::Targets labels, std::int64_t blank, const States& buffers) {
  const std::size_t S = labels.size(), L = 2 * S + 1;
  States states = {buffers.classes, buffers.slots.first(L), buffers.skips.first(L + 2), buffers.seen};
  std::ranges::fill(states.slots, 0U);
  std::ranges::fill(states.skips, false);
  for (std::size_t s = 1; s < S; ++s) states.skips[2 * s + 1] = labels[s] != labels[s - 1];
  const bool few = states.seen.size() <= few_classes;
  const std::size_t K =
      few ? detail::keep_all_classes(labels, blank, states) : detail::number_classes(labels, blank, states);
  states.classes = states.classes.first(K);
  return states;
}

/// The states first..last that frame t of T can be in: reachable from the start and able to reach the end.
struct Band {
  std::size_t first;
  std::size_t last;
};

inline Band band(std::size_t t, std::size_t T, std::size_t L) {
  const std::size_t to_come = 2 * (T - t);
  return {L > to_come ? L - to_come : 0, std::min(L - 1, 2 * t + 1)};
}

}  // namespace assay::metal::cpu
