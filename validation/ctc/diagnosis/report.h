// Prints a diagnosis as text, 100 columns wide.
#pragma once

#include <ostream>
#include <vector>

#include "validation/ctc/case.h"
#include "validation/ctc/diagnosis/diagnose.h"

namespace assay::validation {

/// The table of rows, findings, advice and a summary. `colour` adds ANSI escapes for a terminal.
void print_diagnosis(std::ostream& out, const CtcCase& c, const std::vector<RowDiagnosis>& rows, bool colour);

}  // namespace assay::validation
