// Which sub-expressions of a formula lose its digits in a number format, and which make the first NaN or infinity.
#pragma once

#include <vector>

#include "validation/formula/losses.h"
#include "validation/formula/origins.h"
#include "validation/formula/problem.h"

namespace assay::validation::formula {

struct FormulaExplanation : FormulaLosses, Origins {
  int bits = 0;                                  ///< of the format's significand
  std::vector<ExplainedOperation> decided = {};  ///< comparisons that the exact values would have decided otherwise
};

/// Evaluates the formula in the format and in exact arithmetic, of 60 digits, on the same inputs, which are exact in
/// the format. Throws std::invalid_argument for an input that is missing or has another number of elements than the
/// trace.
FormulaExplanation explanation_of(const Traced& traced, const InputArrays& inputs, Dtype dtype);

}  // namespace assay::validation::formula
