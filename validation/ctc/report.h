// A gate run in words, for a terminal: a table that fits 100 columns, what was reached, and each failure in full.
#pragma once

#include <string>
#include <vector>

#include "validation/ctc/gate.h"

namespace assay::validation {

/// One row of the table: verdict, cases, worst error as a share of its bound, claim.
std::string table_row(const CtcPropertyReport& report, bool colour);

/// The heading over such rows.
std::string table_heading();

/// The words that replay a case: "property=... kernel=... T=...", or, where the case is large, the path of a file that
/// it was written to.
std::string reproducer(const std::string& property, const std::string& kernel, const CtcCase& c);

/// What failed, where, by how much, and the line that reproduces it.
std::string failure_text(const CtcPropertyReport& report, const std::string& kernel, bool colour);

/// "no labels 85, no frames 40, ..." wrapped to 100 columns; classes that were never met are named.
std::string coverage_text(const Coverage& coverage);

}  // namespace assay::validation
