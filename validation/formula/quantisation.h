// Results that are rounded to a small format, held to the numbers that the declared rounding may give.
//
// A kernel may round another number than the exact one, within the bound on it. Where that bound reaches over a tie, both
// neighbours are right; elsewhere one number is. The scale is the kernel's own where the kernel returns it: how far off a
// scale may be is for `outputs` to say, and no reason for a wrong code. Derivation: docs/bounds.md, "Quantisation".
#pragma once

#include "validation/core/random.h"
#include "validation/formula/choices.h"
#include "validation/formula/element_errors.h"
#include "validation/formula/judge.h"

namespace assay::validation::formula {

/// The bound on a number of a small format that `x` is rounded to; `value` is the exact one.
double cast_error(const reference::Cast& cast, Operand x, double value);

/// The cast that all elements of a node are results of, beyond copies; null: they are not of one.
const reference::Cast* cast_of(const Graph& graph, std::int32_t node);

/// What element `i` of a node may be in a right kernel. `errors` are the bounds on all nodes.
Interval possible(const Graph& graph, const Doubles& values, const Doubles& errors, std::int32_t node, std::size_t i);

/// Sets the formats that the subject's formula rounds to, and whether results are such numbers.
void find_casts(Subject& subject);

Finding quantisation(const Subject& subject, const Case& c, Random& random);

}  // namespace assay::validation::formula
