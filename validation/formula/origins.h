// Where the NaN and infinities of a formula's outputs were made, when it is evaluated in a number format.
#pragma once

#include <optional>
#include <vector>

#include "validation/formula/computed.h"

namespace assay::validation::formula {

/// An operation that made a NaN or an infinity of numbers, where an output shows it.
struct Origin {
  ExplainedOperation operation = {};
  std::optional<ExplainedOperation> underflow = {};  ///< which made an operand 0, or subnormal, that should not be
  std::optional<ExplainedOperation> nan = {};        ///< which made the NaN, if the origin is an infinity
  std::size_t output = 0, element = 0;               ///< the first that shows it
  double became = 0;                                 ///< what stands there
};

struct Origins {
  std::int64_t broken = 0;      ///< output elements that are NaN, or an infinity that is exactly a number
  std::vector<Origin> origins;  ///< in the order of evaluation; none of what the inputs already had
};

Origins origins_of(const Computed& computed);

}  // namespace assay::validation::formula
