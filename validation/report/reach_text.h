// Tells how far a gate run reached (validation/core/reach.h).
#pragma once

#include <string>

#include "validation/report/record.h"

namespace assay::validation {

/// A line for each extent: the size of its largest needle case, how many properties judged a case of that size, and how
/// many indices the most sensitive property notices. Empty without needle cases.
std::string reach_text(const GateRecord& record);

}  // namespace assay::validation
