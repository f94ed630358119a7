// The largest size that a result can have whatever the inputs are, as far as its last operations say it: tanh and a
// comparison have 1, a softmax has 1. A bound that is no smaller judges nothing (core/judged.h), nor does one that is no
// smaller than what the terms of sums add up to without their signs, since a result that leaves them all out is within it.
#pragma once

#include <vector>

#include "validation/formula/bounds.h"

namespace assay::validation::formula {

/// For each node; infinite where the operations set no limit.
std::vector<double> ranges_of(const Graph& graph);

/// For each element, how large it is if nothing cancels: of a sum, of the sizes of its terms. The terms of another operation
/// are its arguments times its derivatives, and its size is at least that of its value.
Doubles sizes_of(const Graph& graph, const Doubles& values);

}  // namespace assay::validation::formula
