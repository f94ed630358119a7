// Cross-entropy in the algebraic twin of real arithmetic (docs/algebra.md).
#pragma once

#include <string>

#include "validation/cce/operation.h"
#include "validation/core/algebra.h"

namespace assay::validation {

template <>
struct AlgebraOf<CceOperation> {
  static FollowedResults results(const CceCase& c);
  /// A profile of cases without exponentials that kernels round to 0.
  static CceProfile profile() { return {.offset = 0}; }
  static std::string leaves(const CceCase& c);
};

}  // namespace assay::validation
