// assay merge, which `assay gate --shards` ends with.
#pragma once

#include <string>
#include <vector>

#include "validation/report/report_file.h"

namespace assay::validation {

/// Merges the reports of all shards, prints the table and writes the files. Returns the exit status of the gate.
int merge_reports(const std::vector<std::string>& paths, const ReportFiles& files);

}  // namespace assay::validation
