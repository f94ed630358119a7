// The interesting places that a case of CTC can reach.
#pragma once

#include <string>
#include <vector>

#include "validation/ctc/case.h"

namespace assay::validation {

/// The names of the classes that `c` belongs to: "no labels", "one frame too few", "-inf", ...
std::vector<std::string> classes_of(const CtcCase& c);

/// All of them.
std::vector<std::string> ctc_classes();

}  // namespace assay::validation
