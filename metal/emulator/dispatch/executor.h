// Runs dispatches one after the other, and the groups of each on several OS threads if it can.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "metal/device/result.h"
#include "metal/emulator/check/checker.h"
#include "metal/emulator/dispatch/group_runner.h"
#include "metal/emulator/dispatch/interleaver.h"
#include "metal/emulator/dispatch/launch.h"
#include "metal/emulator/dispatch/progress.h"
#include "metal/emulator/dispatch/trial.h"
#include "metal/emulator/numerics/algebra.h"
#include "metal/emulator/numerics/losses.h"
#include "metal/emulator/simt/order.h"

namespace assay::metal::emulator {

struct ExecutorOptions {
  GroupOptions group;
  Checks checks;
  unsigned os_threads = 0;                           ///< 0: as many as the machine runs at once
  bool with_numerics = false, with_algebra = false;  ///< at most one of them
  bool flushes_subnormals = false;                   ///< of float and double, in checked kernels
  std::optional<Schedule> schedule = {};  ///< of checked kernels: instead of the checks, interleaves threadgroups
};

class Executor {
 public:
  Executor(std::shared_ptr<Arena> arena, ReportLog& log, ExecutorOptions options);

  /// Runs all groups. Returns the first error, whether or not it stopped them.
  std::optional<Error> run(std::unique_ptr<Launch> launch);

  /// May be called while a dispatch runs.
  DispatchProgress progress() const { return {ended_groups_, groups_}; }

  /// The errors that each dispatch so far made.
  std::vector<DispatchLosses> losses() const;

  /// The residues of the dispatches so far; null without ExecutorOptions::with_algebra.
  Algebra* algebra() { return algebra_.get(); }

  /// The schedule of the dispatches so far, with ExecutorOptions::schedule.
  ScheduleRecord schedule_record() const;

 private:
  std::optional<Error> run_checked(Launch& launch);
  std::optional<Error> run_interleaved(Launch& launch);
  std::optional<Error> run_unchecked(const Launch& launch);
  void note_numerics(std::uint32_t first_origin, const DispatchInfo& dispatch);
  void run_groups(GroupRunner& runner, const Launch& launch, std::atomic<std::uint64_t>& next);
  GroupRunner& runner(std::size_t index);
  Follower* follower() const { return numerics_ ? static_cast<Follower*>(numerics_.get()) : algebra_.get(); }

  std::shared_ptr<Arena> arena_;
  ReportLog& log_;
  ExecutorOptions options_;
  Checker checker_;
  Trial trial_;
  std::unique_ptr<Numerics> numerics_;        ///< null without them
  std::unique_ptr<Algebra> algebra_;          ///< null without it
  std::unique_ptr<Interleaver> interleaver_;  ///< null without a schedule
  std::vector<DispatchLosses> losses_;
  std::atomic<std::uint64_t> ended_groups_ = 0, groups_ = 0;  ///< of the dispatch that runs
  mutable std::mutex mutex_;
  std::vector<std::unique_ptr<GroupRunner>> runners_;  ///< one for each OS thread
  std::vector<std::unique_ptr<Launch>> sequence_;      ///< the dispatches that reports may still name
};

}  // namespace assay::metal::emulator
