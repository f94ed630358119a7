// The activations of a generated CTC problem.
#pragma once

#include "validation/core/random.h"
#include "validation/ctc/case.h"

namespace assay::validation {

/// Fills c.activations [T, B, C] with logits, one frame at a time, all in the same randomly chosen style.
/// A share `minus_infinity` of the cases holds -inf in places, never in a whole frame. Frames past a row's length
/// hold garbage: NaN, infinities and large numbers, none of which a kernel may read.
void fill_activations(Random& random, CtcCase& c, double minus_infinity);

}  // namespace assay::validation
