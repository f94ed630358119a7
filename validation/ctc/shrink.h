// Smaller problems to try once one has failed: structure first (rows, frames, labels, classes, options), then values
// towards zero and few bits.
#pragma once

#include <vector>

#include "validation/core/shrink.h"
#include "validation/ctc/case.h"

namespace assay::validation {

/// The steps to try on `c`, the boldest first. Every result is a valid problem that differs from `c`.
std::vector<Shrink<CtcCase>> shrinks_of(const CtcCase& c);

}  // namespace assay::validation
