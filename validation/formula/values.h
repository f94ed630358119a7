// Draws the elements of the arrays of a case.
#pragma once

#include <cstddef>
#include <vector>

#include "validation/core/dtype.h"
#include "validation/core/random.h"
#include "validation/formula/problem.h"

namespace assay::validation::formula {

/// Draws the elements of an input, of its own type or else of `dtype`.
std::vector<double> draw_values(Random& random, const Input& input, const Extents& extents, Dtype dtype,
                                const ValueClass& values);

/// Draws `size` elements of an upstream gradient. Needle cases have 59 different magnitudes in turn, of both signs;
/// sparse ones have 31 from 1/2 on, so that no term is small beside the bound of its sum.
std::vector<double> draw_upstream(Random& random, std::size_t size, Dtype dtype, const ValueClass& values);

}  // namespace assay::validation::formula
