// Cases of each operation for checks of gradients at extents past 1000, beside the generated ones: so sharp that each row,
// frame, label, class, token, entry or column decides some element in turn.
#pragma once

#include <vector>

#include "validation/cce/operation.h"
#include "validation/ctc/operation.h"
#include "validation/svd/operation.h"

namespace assay::validation {

template <class Operation>
std::vector<NamedCase<Operation>> sharp_cases();

template <>
std::vector<CtcNamedCase> sharp_cases<CtcOperation>();
template <>
std::vector<CceNamedCase> sharp_cases<CceOperation>();
template <>
std::vector<SvdNamedCase> sharp_cases<SvdOperation>();

}  // namespace assay::validation
