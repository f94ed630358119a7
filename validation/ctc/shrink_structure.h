// Structural simplifications of a CTC problem. The result is valid; the problem is unchanged if a step does not apply.
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

/// Removes class k from the activations unless k is the blank or a label of some row; labels above k move down.
void drop_class(CtcCase& c, std::int64_t k);

/// Changes the layout to padded targets, with the padding -1.
void use_padded_targets(CtcCase& c);

}  // namespace assay::validation
