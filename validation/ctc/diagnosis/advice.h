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

/// What is worth knowing of the activations of a sound batch before its kernel is judged: "rows 0, 2: log_probs look
/// like logits: the exponentials of frame 0 add up to 5.5", the finding of the first row.
std::vector<std::string> notes_on_activations(const CtcCase& c);

/// "row 3", "rows 3, 7-9"; the empty text if there are no rows.
std::string name_rows(const std::vector<std::int64_t>& rows);

}  // namespace assay::validation
