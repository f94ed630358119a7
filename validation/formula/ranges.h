// The largest size that a result can have whatever the inputs are, as far as its last operations say it: tanh and a
// comparison have 1, a softmax has 1. A bound that is no smaller judges nothing (core/judged.h).
#pragma once

#include <vector>

#include "validation/formula/bounds.h"

namespace assay::validation::formula {

/// For each node; infinite where the operations set no limit.
std::vector<double> ranges_of(const Graph& graph);

}  // namespace assay::validation::formula
