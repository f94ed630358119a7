// The elements of hidden, weight and bias of a generated case.
#pragma once

#include "validation/cce/generate.h"

namespace assay::validation {

/// Fills hidden, weight and, in a share profile.bias of the cases, bias. Extents, options and targets must be set.
void fill_values(CceCase& c, Random& random, const CceProfile& profile);

}  // namespace assay::validation
