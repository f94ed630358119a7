// The processes that judge the shards of a gate run, at the same time.
#pragma once

#include <sys/types.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "validation/cli/sharded_gate.h"
#include "validation/core/terminal.h"

namespace assay::validation {

/// The variable of the environment that says which process a shard's process ends with: a pool that is killed would
/// leave its shards running.
inline constexpr const char* shard_of = "ASSAY_SHARD_OF";

/// One shard: its files, and the process that judges it now.
struct ShardProcess {
  int index = 0;
  std::filesystem::path report, log;
  pid_t process = -1;  ///< -1: none
  bool finished = false;
  int deaths = 0;  ///< since it last finished a unit
  std::int64_t units = 1, units_done = 0, done_at_start = 0;

  /// Reads how far the shard has come. Returns whether its report is complete.
  bool look();
  double share_done() const;
  /// The last 2000 characters that the process printed.
  std::string output() const;
};

class ShardPool {
 public:
  /// `folder` is for the reports and logs of the shards. `gate` must outlive the pool.
  ShardPool(const ShardedGate& gate, const std::filesystem::path& folder);
  ShardPool(const ShardPool&) = delete;
  ShardPool& operator=(const ShardPool&) = delete;
  /// Stops the processes and waits for them.
  ~ShardPool();

  /// Judges all shards. Returns false if the command was interrupted. Throws std::runtime_error as judge_in_shards.
  bool run();

  std::vector<std::string> reports() const;

 private:
  std::int64_t running() const;
  void start(ShardProcess& shard) const;
  /// Checks whether the shard's process has ended, and starts another process if it died.
  void collect(ShardProcess& shard) const;
  void stop();
  /// Shows one bar for all shards, after reading the progress of one of them.
  void show(ShardProcess& one);

  const ShardedGate& gate_;
  std::vector<ShardProcess> shards_;
  ProgressBar bar_;
  bool stopped_ = false;
};

}  // namespace assay::validation
