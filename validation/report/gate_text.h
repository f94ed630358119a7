// The record of a gate run as text for a terminal, in at most 100 columns.
#pragma once

#include <string>

#include "validation/report/record.h"

namespace assay::validation {

/// What is judged, and the heading of the table's rows.
std::string heading_text(const GateRecord& record);

/// What follows the rows: what was judged and what was not, the failures with the lines that reproduce them, and a
/// sentence on the whole.
std::string conclusion_text(const GateRecord& record, double seconds, bool colour);

/// The sum of the times of a run's properties.
double seconds_of(const GateRecord& record);

/// All of the table, without colour; characters that a terminal would obey are escaped.
std::string table_text(const GateRecord& record);

}  // namespace assay::validation
