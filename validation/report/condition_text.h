// Which results of a run are ill-conditioned, and how errors grow with sizes, in words.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "validation/report/record.h"

namespace assay::validation {

/// How errors grow with a size: "none", "sqrt" or "linear", whichever power of the size is nearest to the slope of their
/// logarithms; "" where fewer than three sizes from 8 on, or none 16 times another, show an error.
std::string_view growth_of(const std::map<std::int64_t, double>& errors);

/// The properties with results of which fewer than three digits mean something, each with their share and the largest
/// condition number, and a line for each extent with which errors grow. Empty where there are none.
std::string condition_text(const GateRecord& record);

}  // namespace assay::validation
