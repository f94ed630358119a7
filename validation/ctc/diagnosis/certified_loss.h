// The loss of one row to as many decimal digits as are asked for, with a bound on what is wrong with the last.
#pragma once

#include <algorithm>
#include <string>

#include "reference/number/ball.h"
#include "reference/number/precision.h"
#include "validation/ctc/case.h"

namespace assay::validation {

/// The most digits of a loss that may be asked for.
inline constexpr int most_loss_digits = std::min(10'000, reference::kMostDigits - 40);

/// Whether the enclosures of losses are theorems.
inline constexpr bool losses_are_certified = ASSAY_HAVE_CERTIFIED != 0;

struct CertifiedLoss {
  double value = 0;  ///< the nearest double, or so
  std::string text;  ///< "12.3456789 ± 1e-7": the exact loss of these very activations lies within; "0" is exact
};

/// The loss of `row`, a sound problem of one row that has an alignment with a probability above 0, before reduction.
/// `digits` significant digits, or, where the loss is nearer to 0 than 10^-digits, that many decimals. Where
/// losses_are_certified is false, two precisions agreed on the digits.
CertifiedLoss certified_loss(const CtcCase& row, int digits);

}  // namespace assay::validation
