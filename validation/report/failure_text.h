// A failure as people read it: what was expected, what came, where, why, and how to see it again.
#pragma once

#include <string>

#include "validation/report/record.h"

namespace assay::validation {

/// The text of a property that failed; empty for another.
std::string failure_text(const PropertyRecord& property, bool colour);

}  // namespace assay::validation
