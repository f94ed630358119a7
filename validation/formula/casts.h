// Numbers of a small format that right kernels may round a value to, which is off itself.
//
// A kernel may round another number than the exact one, within the bound on it. Where that bound reaches over a tie, both
// neighbours are right; elsewhere one number is. Derivation: docs/bounds.md, "Quantisation".
#pragma once

#include "validation/formula/choices.h"
#include "validation/formula/element_errors.h"

namespace assay::validation::formula {

/// The bound on a number of a small format that `x` is rounded to; `value` is the exact one.
double cast_error(const reference::Cast& cast, Operand x, double value);

/// The cast that all elements of a node are results of, beyond copies; null: they are not of one.
const reference::Cast* cast_of(const Graph& graph, std::int32_t node);

/// What element `i` of a node may be in a right kernel. `errors` are the bounds on all nodes.
Interval possible(const Graph& graph, const Doubles& values, const Doubles& errors, std::int32_t node, std::size_t i);

}  // namespace assay::validation::formula
