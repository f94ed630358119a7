// How much of what a run compared it judged, as text for a terminal.
#pragma once

#include <string>

#include "validation/report/record.h"

namespace assay::validation {

/// For each property that compared elements, how many it judged of how many, and the largest bound among them, wrapped
/// to 100 columns; empty where no property did.
std::string judged_text(const GateRecord& record);

}  // namespace assay::validation
