// The true results of a case: the any-precision reference, computed at two precisions that must agree.
#pragma once

#include <vector>

#include "reference/ctc/batch.h"
#include "reference/number/big_float.h"
#include "validation/core/truth.h"
#include "validation/ctc/case.h"

namespace assay::validation {

struct CtcTruth {
  std::vector<reference::CtcRow<double>> rows;  ///< rounded: for the sizes in bounds
  ExactValues loss;                             ///< [B] or [1], depending on the reduction
  ExactValues gradient;                         ///< [T, B, C]; NaN where no gradient exists
};

/// The rows of `c` to `digits` digits.
std::vector<reference::CtcRow<BigFloat>> rows_of(const CtcCase& c, int digits);

/// As require_same, of loss and gradient.
void require_agreement(const CtcTruth& low, const CtcTruth& high, int digits);

/// Loss and gradient of `c` to `digits` significant digits of every probability; with long_double_digits, computed
/// once. Throws ReferenceDisagrees when `digits` and `digits` + 20 do not agree, std::invalid_argument for a bad case.
CtcTruth truth_of(const CtcCase& c, int digits);

}  // namespace assay::validation
