// Reports as text. One missing barrier makes dozens of races of the same memory: they are told as one, with their number.
#pragma once

#include <string>
#include <vector>

#include "metal/emulator/check/report.h"

namespace assay::validation {

/// One text for each report; from the fourth report of a check in the same memory on, the others are lines behind the
/// first.
std::vector<std::string> in_groups(const std::vector<metal::emulator::Report>& reports);

}  // namespace assay::validation
