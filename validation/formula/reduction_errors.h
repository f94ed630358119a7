// How far rounding may carry a sum, a product or an extreme value, from the errors of its terms.
// Derivation: docs/formula.md, "The bound".
#pragma once

#include <span>

#include "validation/formula/element_errors.h"

namespace assay::validation::formula {

/// For a sum in any order and, where it is `running`, for an online sum that rescales. `accumulate` is the sum's type.
double sum_error(std::span<const Operand> terms, bool running, Dtype accumulate);

/// `value` is the exact product of the factors.
double product_error(std::span<const Operand> factors, double value, const ElementErrors& elements);

/// The largest of all errors of terms that may be the extreme one. op: Op::largest or its opposite.
double extreme_error(std::span<const Operand> terms, Op op);

}  // namespace assay::validation::formula
