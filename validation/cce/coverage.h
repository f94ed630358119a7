// The interesting places that a case of linear cross-entropy can reach.
#pragma once

#include <string>
#include <vector>

#include "validation/cce/case.h"

namespace assay::validation {

/// The names of the classes that `c` belongs to: "all ignored", "one word", "-inf bias", ...
std::vector<std::string> classes_of(const CceCase& c);

/// All of them.
std::vector<std::string> cce_classes();

}  // namespace assay::validation
