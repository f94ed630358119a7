// Reports as one HTML page that needs nothing else: its style, its script and the report itself are in it.
#pragma once

#include <string>

#include "validation/report/record.h"

namespace assay::validation {

std::string to_html(const Report& report);

/// The JSON that such a page holds. Throws std::invalid_argument, naming `source`, for another page.
std::string json_of_html(const std::string& page, const std::string& source);

}  // namespace assay::validation
