#include "metal/emulator/dispatch/executor.h"

#include <algorithm>
#include <atomic>
#include <thread>

#include "metal/emulator/dispatch/os_threads.h"
#include "metal/emulator/dispatch/services.h"
#include "metal/emulator/dispatch/signals.h"
#include "metal/emulator/dispatch/subnormal_flush.h"
#include "metal/emulator/numerics/numeric_reports.h"

namespace assay::metal::emulator {

Executor::Executor(std::shared_ptr<Arena> arena, ReportLog& log, ExecutorOptions options)
    : arena_(std::move(arena)),
      log_(log),
      options_(std::move(options)),
      checker_(log_, options_.checks),
      trial_(arena_, options_.group, options_.checks, options_.flushes_subnormals) {
  if (options_.with_numerics) numerics_ = std::make_unique<Numerics>(services().position);
  if (options_.with_algebra) algebra_ = std::make_unique<Algebra>();
  if (options_.schedule) interleaver_ = std::make_unique<Interleaver>(arena_, log_, options_.group, *options_.schedule);
  if (options_.os_threads == 0) options_.os_threads = std::max(1U, std::thread::hardware_concurrency());
}

std::optional<Error> Executor::run(std::unique_ptr<Launch> launch) {
  const std::lock_guard lock(mutex_);
  if (launch->begins_sequence) {
    checker_.begin_sequence(*arena_);
    sequence_.clear();
  }
  Launch& running = *sequence_.emplace_back(std::move(launch));
  groups_ = ChosenGroups(running.info.grid.groups().count(), running.only_groups).count();
  ended_groups_ = 0;
  running.ended_groups = &ended_groups_;
  const auto constants = running.constants ? std::unique_lock(*running.constants) : std::unique_lock<std::mutex>();
  if (running.prepare)
    if (const Result<void> prepared = running.prepare(); !prepared) return prepared.error();
  if (!running.is_checked) return run_unchecked(running);
  if (interleaver_) return run_interleaved(running);
  if (!follower() && trial_.run(running, options_.os_threads)) return std::nullopt;
  return run_checked(running);
}

std::optional<Error> Executor::run_interleaved(Launch& launch) {
  const FaultGuard guard;
  const SubnormalFlush flush(options_.flushes_subnormals);
  return interleaver_->run(launch);
}

ScheduleRecord Executor::schedule_record() const {
  const std::lock_guard lock(mutex_);
  return interleaver_ ? interleaver_->record() : ScheduleRecord();
}

std::optional<Error> Executor::run_checked(Launch& launch) {
  const FaultGuard guard;
  const SubnormalFlush flush(options_.flushes_subnormals);
  GroupRunner& first = runner(0);
  ended_groups_ = 0;
  checker_.begin_dispatch(launch.info);
  first.begin_dispatch(launch, &checker_, follower());
  const auto first_origin = static_cast<std::uint32_t>(numerics_ ? numerics_->origins().size() : 0);
  if (follower() != nullptr) follower()->begin_dispatch();
  std::atomic<std::uint64_t> next = 0;
  run_groups(first, launch, next);
  if (numerics_) note_numerics(first_origin, launch.info);
  checker_.end_dispatch();
  *launch.static_length = std::max(launch.static_length->load(), first.static_length());
  return first.error();
}

void Executor::note_numerics(std::uint32_t first_origin, const DispatchInfo& dispatch) {
  Losses losses = losses_of(*numerics_, dispatch);
  report_origins(*numerics_, first_origin, dispatch, log_);
  report_losses(*numerics_, losses, dispatch, log_);
  losses_.push_back({dispatch.kernel, std::move(losses), !numerics_->tape().is_full()});
}

std::vector<DispatchLosses> Executor::losses() const {
  const std::lock_guard lock(mutex_);
  return losses_;
}

std::optional<Error> Executor::run_unchecked(const Launch& launch) {
  const std::uint64_t groups = ChosenGroups(launch.info.grid.groups().count(), launch.only_groups).count();
  const auto workers = static_cast<std::size_t>(std::min<std::uint64_t>(options_.os_threads, groups));
  for (std::size_t worker = 0; worker < workers; ++worker) runner(worker).begin_dispatch(launch, nullptr, nullptr);
  std::atomic<std::uint64_t> next = 0;
  on_os_threads(workers, [&](std::size_t worker) {
    const FaultGuard guard;
    run_groups(*runners_[worker], launch, next);
  });
  std::optional<Error> error;
  for (std::size_t worker = 0; worker < workers; ++worker) {
    if (!error) error = runners_[worker]->error();
    *launch.static_length = std::max(launch.static_length->load(), runners_[worker]->static_length());
  }
  return error;
}

/// Runs groups until none is left, or one must stop the dispatch.
void Executor::run_groups(GroupRunner& runner, const Launch& launch, std::atomic<std::uint64_t>& next) {
  const ChosenGroups chosen(launch.info.grid.groups().count(), launch.only_groups);
  const std::uint64_t groups = chosen.count();
  const bool backwards = options_.group.order == ThreadOrder::reverse;
  for (std::uint64_t taken = next++; taken < groups; taken = next++)
    if (!runner.run(chosen[backwards ? groups - 1 - taken : taken])) next = groups;
}

GroupRunner& Executor::runner(std::size_t index) {
  while (runners_.size() <= index) runners_.push_back(std::make_unique<GroupRunner>(arena_, log_, options_.group));
  return *runners_[index];
}

}  // namespace assay::metal::emulator
