// assay gate --shards: the shards of a run as processes of their own, which a launcher may start on other machines.
#pragma once

#include <string>
#include <vector>

#include "validation/report/report_file.h"

namespace assay::validation {

struct ShardedGate {
  int shards = 0;
  std::string launcher;            ///< the words of a shell before a shard's command: "srun -n1"; may be empty
  std::vector<std::string> words;  ///< what is judged: "gate", "ctc", "--cases", "1000"
  ReportFiles files;
  std::string resume;  ///< the JSON report of an earlier command, whose shards are continued; may be empty
};

/// Starts all shards, starts those again whose process died, merges their reports, and returns the gate's exit status.
/// The shards' reports lie in FILE.shards/ beside the JSON report until they are merged. Throws std::runtime_error with
/// the output of a shard that refuses its options, or that dies three times without finishing a unit.
int judge_in_shards(const ShardedGate& gate);

}  // namespace assay::validation
