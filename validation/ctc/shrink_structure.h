// Structural simplifications of a CTC problem, each leaving a valid problem; no change where one does not apply.
#pragma once

#include "validation/ctc/case.h"

namespace assay::validation {

/// Cuts T down to the longest row and at most `spare` frames past it.
void drop_unused_frames(CtcCase& c, std::int64_t spare = 0);

/// Shortens row b to `count` frames by moving its last frames to the front, or by dropping its last frames.
void keep_last_frames(CtcCase& c, std::int64_t b, std::int64_t count);
void keep_first_frames(CtcCase& c, std::int64_t b, std::int64_t count);

/// Shortens the target of row b to the labels [first, last).
void keep_labels(CtcCase& c, std::int64_t b, std::int64_t first, std::int64_t last);

/// Takes class k out of the activations when no row speaks of it and it is not blank; labels above k move down.
void drop_class(CtcCase& c, std::int64_t k);

/// The same targets, padded with -1.
void use_padded_targets(CtcCase& c);

}  // namespace assay::validation
