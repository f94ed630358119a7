// The page that an HTML report is made from: page.html, built in.
#pragma once

#include <string>

namespace assay::validation {

std::string page();

}  // namespace assay::validation
