// From symptoms to what to do next: one sentence per ailment, for all the rows that have it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "validation/ctc/case.h"
#include "validation/ctc/diagnose.h"

namespace assay::validation {

/// What to do about a batch, in the order in which to do it; empty where there is nothing.
std::vector<std::string> advise(const CtcCase& c, const std::vector<RowDiagnosis>& rows);

/// What float32 arithmetic in probability space and in log space makes of these losses; empty where it does no harm.
std::string float32_remark(const std::vector<RowDiagnosis>& rows);

/// "row 3", "rows 3, 7-9"; of nothing, the empty text.
std::string name_rows(const std::vector<std::int64_t>& rows);

}  // namespace assay::validation
