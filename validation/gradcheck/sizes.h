// Patterns in how large the errors of a gradient are, and from which index on there are any.
#pragma once

#include <vector>

#include "validation/gradcheck/pattern.h"

namespace assay::validation {

/// Says, of errors that are all small beside the largest element, whether they come from rounding or from a formula:
/// rounding errors have signs of their own, and those of a term that is missing or too many have not. Empty if an error
/// is large.
std::vector<Pattern> small_errors(const GradientArray& gradient);

/// The axes along which every index from some index on has a wrong element, at least two, and none before.
std::vector<Pattern> wrong_tails(const GradientArray& gradient);

}  // namespace assay::validation
