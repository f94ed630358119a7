// CTC in the algebraic twin of real arithmetic (docs/algebra.md).
#pragma once

#include <string>

#include "validation/core/algebra.h"
#include "validation/ctc/operation.h"

namespace assay::validation {

template <>
struct AlgebraOf<CtcOperation> {
  static FollowedResults results(const CtcCase& c);
  /// A profile of cases without exponentials that kernels round to 0.
  static CtcProfile profile() { return {.impossible_rows = 0, .long_rows = 0}; }
  static std::string leaves(const CtcCase& c);
};

}  // namespace assay::validation
