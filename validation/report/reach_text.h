// Tells how far a gate run reached (validation/core/reach.h).
#pragma once

#include <string>

#include "validation/report/record.h"

namespace assay::validation {

/// A line for each extent: the largest needle case, how many properties judged one of that size, and how many of its
/// indices the property that notices most would miss. Empty without needle cases.
std::string reach_text(const GateRecord& record);

}  // namespace assay::validation
