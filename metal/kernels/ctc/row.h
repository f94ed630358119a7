// The description of a row: its states, where its frames are, and the function constants.
//
// States (Graves et al. 2006, section 4.1): blank, l_1, blank, l_2, ..., l_S, blank. L = 2S + 1; odd states are labels.
#pragma once

#include "scaled.h"

namespace assay {
namespace ctc {

constant bool from_logits [[function_constant(from_logits_constant)]];
constant bool of_logits [[function_constant(of_logits_constant)]];
constant bool with_gradient [[function_constant(with_gradient_constant)]];

/// The slots of the labels of one row, in its own order or reversed.
struct Labels {
  device const uint* slots;
  uint count;
  bool is_reversed;

  uint state_count() const { return 2 * count + 1; }

  uint slot_of_label(uint n) const { return slots[is_reversed ? count - 1 - n : n]; }

  uint slot(uint state) const { return state % 2 == 1 ? slot_of_label(state / 2) : 0; }

  /// Whether an alignment may skip from state - 2 to state, over the blank between two different labels.
  bool may_skip_to(uint state) const {
    return state % 2 == 1 && state > 1 && state < state_count() &&
           slot_of_label(state / 2) != slot_of_label(state / 2 - 1);
  }
};

inline Labels labels_of(Row row, device const uint* slots, bool is_reversed) {
  return {slots + row.labels_begin, row.labels, is_reversed};
}

/// The states begin .. end - 1 that an alignment can be in at frame t. It begins in state 0 or 1, ends in state L - 2
/// or L - 1, and advances by at most two states a frame. In all other states alpha or beta is zero. Where no alignment
/// fits, end <= begin.
struct Reach {
  uint begin, end;
};

inline Reach reach_of(Row row, uint t) {
  const long L = 2 * long(row.labels) + 1;
  return {uint(max(L - 2 * long(row.frames - t), 0l)), uint(min(L, 2 * long(t) + 2))};
}

/// The cells of a frame in alpha and beta: L, rounded up to an even number, so that pairs of cells are aligned.
inline ulong frame_cells(Row row) {
  return 2 * ulong(row.labels) + 2;
}

/// The index at which frame t of row b begins in an array [T, B, C].
inline ulong frame_begin(Shape shape, uint t, uint b) {
  return (ulong(t) * ulong(shape.B) + b) * ulong(shape.C);
}

}  // namespace ctc
}  // namespace assay
