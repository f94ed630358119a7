// Structural simplifications of a CTC problem. The result is valid; the problem is unchanged if a step does not apply.
#pragma once

#include "validation/ctc/case.h"

namespace assay::validation {

/// Cuts T down to the longest row and at most `spare` frames past it.
void drop_unused_frames(CtcCase& c, std::int64_t spare = 0);

/// The rows [first, last).
struct CtcRows {
  std::int64_t first, last;
};

enum class CtcEnd { front, back };

/// Cuts the n-th part of the frames, rounded up, off one end of each of the rows. Frames behind move to the front.
void cut_frames(CtcCase& c, CtcRows rows, std::int64_t n, CtcEnd end);

/// Cuts the n-th part of the labels, rounded up, off one end of each of the rows.
void cut_labels(CtcCase& c, CtcRows rows, std::int64_t n, CtcEnd end);

/// Removes those of the classes [first, last) that are neither the blank nor a label of some row; labels above move
/// down. Every frame in use keeps a finite activation, or else all classes stay.
void drop_classes(CtcCase& c, std::int64_t first, std::int64_t last);

/// Changes the layout to padded targets, with the padding -1.
void use_padded_targets(CtcCase& c);

}  // namespace assay::validation
