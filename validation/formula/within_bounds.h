// Outputs and gradients against the truth, element by element.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "reference/number/big_float.h"
#include "validation/formula/judge.h"

namespace assay::validation::formula {

using Shape = std::vector<std::int64_t>;

/// "output[2, 0]": element `i` of an array of the shape.
std::string place(const std::string& what, std::size_t i, const Shape& shape);

/// Beyond the largest number minus the bound, an infinity of the sign is right.
bool may_overflow(double got, const reference::BigFloat& exact, double bound, Dtype storage);

/// Whether two results have the same bits; all NaN count as one.
bool same_bits(double a, double b);

/// The property that outputs are within their bounds.
Finding outputs(const Subject& subject, const Case& c, Random& random);

/// The property that gradients are within theirs.
Finding gradients(const Subject& subject, const Case& c, Random& random);

}  // namespace assay::validation::formula
