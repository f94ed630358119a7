// Finds what the wrong elements of a gradient have in common: a pattern that points to the mistake.
#pragma once

#include <string>
#include <vector>

#include "validation/gradcheck/gradient_array.h"

namespace assay::validation {

/// A part of the array, with a name.
struct NamedRegion {
  std::string where;  ///< "past input_lengths", "at the blank"
  std::vector<bool> in;
};

/// A mistake that multiplies the gradient by `factor[slice]` along an axis.
struct NamedFactor {
  std::string reason;  ///< "1 / B: a mean was taken over the batch"
  std::vector<double> factor;
};

/// Knowledge of the operation that helps to name a mistake.
struct PatternHints {
  std::vector<NamedRegion> regions;
  std::vector<NamedFactor> factors;
  std::size_t factor_axis = 0;  ///< the axis along which factors may differ
};

struct Pattern {
  std::string key;       ///< the same for the same mistake in another case: "factor: 1 / B"
  std::string sentence;  ///< for a reader
};

/// All patterns that fit the wrong elements, the most informative first. Empty if no element is wrong.
std::vector<Pattern> patterns_of(const GradientArray& gradient, const PatternHints& hints);

}  // namespace assay::validation
