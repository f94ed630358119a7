// Finds in a wrong gradient that summands are missing from a sum by which a part of the gradient is divided, as a
// softmax's is.
#pragma once

#include <string>
#include <vector>

#include "validation/gradcheck/pattern.h"

namespace assay::validation {

/// A slice of the gradient are the elements that differ in the last index only; each slice has a sum of its own.
struct NamedSum {
  std::string name;                         ///< "the softmax's sum"
  std::string noun;                         ///< "class": what is summed
  std::vector<double> part;                 ///< [size] the part of the gradient that is divided by the sum
  std::vector<std::vector<double>> shares;  ///< for each slice the share of each summand; empty if it has no sum
};

/// Says which summands are missing, the last ones or a single one, if in each slice the error is one multiple of the
/// part: part / (1 - missing share) - part. Elements that are not finite, or that lack the part itself, are left out.
std::vector<Pattern> missing_summands(const GradientArray& gradient, const NamedSum& sum);

}  // namespace assay::validation
