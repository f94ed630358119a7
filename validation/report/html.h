// Reports as one HTML page that contains everything it needs: style, script and the report itself.
#pragma once

#include <string>

#include "validation/report/record.h"

namespace assay::validation {

std::string to_html(const Report& report);

/// The JSON that a page of to_html holds. Throws std::invalid_argument, naming `source`, for any other page.
std::string json_of_html(const std::string& page, const std::string& source);

}  // namespace assay::validation
