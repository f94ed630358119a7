// The shards of a run, made one.
#pragma once

#include <string>
#include <vector>

#include "validation/report/record.h"

namespace assay::validation {

struct NamedReport {
  std::string name;  ///< of its file
  Report report;
};

/// What a single run would have recorded: the same verdicts and, but for properties that failed, the same counts (a
/// single run stops judging a property at its first failure; a shard does not know of those in others). Of cases with
/// the same worst margin, another may be named.
/// Throws std::invalid_argument, naming the file, where reports are of different versions, operations, kernels or
/// options, where one is not complete or comes twice, and where shards are missing.
Report merge(const std::vector<NamedReport>& shards);

}  // namespace assay::validation
