// Merges the reports of the shards of a run into one report.
#pragma once

#include <string>
#include <vector>

#include "validation/report/record.h"

namespace assay::validation {

struct NamedReport {
  std::string name;  ///< the file that the report was read from
  Report report;
};

/// Returns what a single run would have recorded: the same verdicts and, except for properties that failed, the same
/// counts. (A single run stops judging a property at its first failure; a shard does not know of failures in other
/// shards.) If several cases share the worst margin, the merged report may name another of them.
/// Throws std::invalid_argument, naming the file, if reports differ in version, operation, kernel or options, if a
/// report is not complete or is given twice, or if a shard is missing.
Report merge(const std::vector<NamedReport>& shards);

}  // namespace assay::validation
