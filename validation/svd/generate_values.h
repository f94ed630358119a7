// The elements of a matrix whose extents and type are chosen.
#pragma once

#include "validation/core/random.h"
#include "validation/svd/generate.h"

namespace assay::validation {

/// Fills matrix b. No element is infinite.
void fill_matrix(SvdCase& c, std::int64_t b, Random& random, const SvdProfile& profile);

}  // namespace assay::validation
