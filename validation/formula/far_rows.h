// Rows of a case in arrays of more than 2^31 elements on a GPU, and past 2^32 of a library, where offsets of 32 bits lead
// elsewhere, and past 2^17 other rows of a Python function, where row numbers of 16 bits do. Their results are those that
// the rows have in an array of their own.
#pragma once

#include <string_view>
#include <vector>

#include "validation/core/reach.h"
#include "validation/formula/judge.h"
#include "validation/formula/planned.h"

namespace assay::validation::formula {

/// The property of the subject's far kernels.
Property far_rows(const FarKernels& far);

/// The case with one row, which the property skips: a call takes seconds, and generated cases are many.
Case not_far(const Subject& subject, const Case& c);

/// Its case: 24 rows among so many others, or four rows; past so many elements each of some thousand where the formula
/// has such, and none in a quick run.
std::vector<Planned> far_cases(const Subject& subject, Reach reach);

}  // namespace assay::validation::formula
