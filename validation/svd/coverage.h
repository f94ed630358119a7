// Which interesting places generated matrices reached.
#pragma once

#include <string>
#include <vector>

#include "validation/svd/case.h"

namespace assay::validation {

/// The names of all classes.
std::vector<std::string> svd_classes();

/// The names of those that `c` belongs to.
std::vector<std::string> classes_of(const SvdCase& c);

}  // namespace assay::validation
