// The loss of one row to any number of decimal digits, with a bound on the error of the last digit.
#pragma once

#include <algorithm>
#include <string>

#include "reference/number/ball.h"
#include "reference/number/precision.h"
#include "validation/ctc/case.h"

namespace assay::validation {

/// The largest number of digits of a loss that can be asked for.
inline constexpr int max_loss_digits = std::min(10'000, reference::max_digits - 40);

/// Whether losses are enclosed with certainty, by ball arithmetic.
inline constexpr bool losses_are_certified = ASSAY_HAVE_CERTIFIED != 0;

struct CertifiedLoss {
  double value = 0;  ///< about the nearest double
  std::string text;  ///< "12.3456789 ± 1e-7": encloses the exact loss of these activations; "0" is exact
};

/// The loss of `row`, a sound problem of one row that has an alignment with a probability above 0, before reduction.
/// It has `digits` significant digits, or as many decimals if the loss is nearer to 0 than 10^-digits. If
/// losses_are_certified is false, the digits are those that two precisions agree on.
CertifiedLoss certified_loss(const CtcCase& row, int digits);

}  // namespace assay::validation
