// The property that a row's results do not depend on how many rows there are: what serving calls batch invariance.
#pragma once

#include <string>

#include "validation/formula/judge.h"

namespace assay::validation::formula {

/// The kernel's outputs for the first rows along the extent have the same bits without the other rows. Arrays are
/// contiguous in both calls.
Finding batch(const Subject& subject, const Case& c, Random& random, const std::string& extent);

/// The outputs' axes are those of the first input that has the extent, as far as the sizes agree; -1 where an output
/// lacks the extent.
int output_axis(const Subject& subject, const Case& c, const std::string& extent,
                const std::vector<std::int64_t>& shape);

}  // namespace assay::validation::formula
