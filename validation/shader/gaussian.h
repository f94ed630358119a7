// Many normal numbers at once, several times faster than one by one.
#pragma once

#include <span>

#include "validation/core/random.h"

namespace assay::validation {

/// The numbers that as many calls of random.gaussian() return, to some 2^-40 of each; then rounded to Real, float or
/// double.
template <class Real>
void fill_gaussian(std::span<Real> numbers, Random& random);

}  // namespace assay::validation
