// The elements of hidden, weight and bias of a generated case.
#pragma once

#include "validation/cce/generate.h"

namespace assay::validation {

/// Fills hidden, weight and, in the share of cases that have one, bias; extents, options and targets are set.
void fill_values(CceCase& c, Random& random, const CceProfile& profile);

}  // namespace assay::validation
