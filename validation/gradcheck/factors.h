// Finds factors by which the wrong elements of a gradient are off: one for all of them, or one for each slice.
#pragma once

#include <vector>

#include "validation/gradcheck/pattern.h"

namespace assay::validation {

/// The factor, and the mistakes of the hints or the extents of the array that would explain it. Empty where no factor
/// fits, or where fewer than two further elements support it.
std::vector<Pattern> factor_patterns(const GradientArray& gradient, const PatternHints& hints);

}  // namespace assay::validation
