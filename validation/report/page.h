// The page that an HTML report is made from: the files of validation/report/page, built in.
#pragma once

#include <string>

namespace assay::validation {

std::string page();

}  // namespace assay::validation
