// Turns symptoms into advice: one sentence per ailment, for all rows that have it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "validation/ctc/case.h"
#include "validation/ctc/diagnosis/diagnose.h"

namespace assay::validation {

/// The steps that mend a batch, in order; empty if nothing is wrong.
std::vector<std::string> advise(const CtcCase& c, const std::vector<RowDiagnosis>& rows);

/// The effect of float32 arithmetic in probability space and in log space on these losses; empty if it does no harm.
std::string float32_remark(const std::vector<RowDiagnosis>& rows);

/// "row 3", "rows 3, 7-9"; the empty text if there are no rows.
std::string name_rows(const std::vector<std::int64_t>& rows);

}  // namespace assay::validation
