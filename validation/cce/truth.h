// The true results of a case: the any-precision reference, computed at two precisions that must agree.
#pragma once

#include "validation/cce/case.h"
#include "validation/core/truth.h"

namespace assay::validation {

/// As reference::CceOutcome.
struct CceTruth {
  ExactValues loss, dhidden, dweight, dbias;
};

/// Loss and gradients of `c` to `digits` significant digits of every probability; with long_double_digits, computed
/// once.
/// Throws ReferenceDisagrees when `digits` and `digits` + 20 do not agree, std::invalid_argument for a bad case.
CceTruth truth_of(const CceCase& c, int digits);

/// Throws ReferenceDisagrees unless loss and gradients at `digits` digits and at more agree (validation/core/truth.h).
void require_agreement(const CceTruth& low, const CceTruth& high, int digits);

}  // namespace assay::validation
