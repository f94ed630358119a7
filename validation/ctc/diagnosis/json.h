// A diagnosis as JSON, for other programs.
#pragma once

#include <string>
#include <vector>

#include "validation/ctc/diagnosis/diagnose.h"

namespace assay::validation {

/// {"notes": [text], "rows": [{"row", "input_length", "target_length", "repeats" (null where unknown), "kind" (finite,
/// infinite, nan, undefined), "loss" (text, LossKind's numbers with their certainty), "healthy", "symptoms":
/// [{"ailment", "severity" (note, doubt, fault), "text"}]}]}.
std::string to_json(const std::vector<RowDiagnosis>& rows, const std::vector<std::string>& notes);

}  // namespace assay::validation
