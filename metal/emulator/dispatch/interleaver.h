// Runs a dispatch with several threadgroups in flight on one OS thread, in the order that a Schedule gives: schedule.h.
//
// A threadgroup begins when one of a lower number has ended, so that a group may wait for those before it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "metal/emulator/dispatch/group_runner.h"
#include "metal/emulator/dispatch/launch.h"
#include "metal/emulator/dispatch/schedule.h"

namespace assay::metal::emulator {

class Interleaver {
 public:
  Interleaver(std::shared_ptr<Arena> arena, ReportLog& log, GroupOptions options, Schedule schedule);

  /// Runs all groups. Returns the first error.
  std::optional<Error> run(Launch& launch);

  /// The schedule of all dispatches so far.
  const ScheduleRecord& record() const { return record_; }

  /// A thread of `runner` comes to an atomic access. Returns when it is to be performed.
  void before_atomic(GroupRunner& runner, std::uint64_t bytes, abi::Access kind, const void* pc);

 private:
  static constexpr std::uint64_t max_threads = 8192;  ///< in flight, but for at least min_groups
  static constexpr std::uint64_t min_groups = 2, max_groups = 32;
  /// After so many atomic accesses in a row a thread may be waiting for what another one writes.
  static constexpr std::uint32_t patience = 256;

  void admit(const Launch& launch, std::uint64_t group);
  GroupRunner& next_runner();
  ThreadNumber choose(std::uint64_t choice, const GroupRunner& runner, ThreadNumber current);
  ThreadNumber choose_at_random(std::uint64_t choice, const GroupRunner& runner, ThreadNumber current) const;
  ThreadNumber another(ThreadNumber current) const;
  bool can_run(ThreadNumber thread) const;
  void watch(std::uint64_t choice, const GroupRunner& runner, ThreadNumber current, ThreadNumber next,
             std::string action, const void* pc);

  std::shared_ptr<Arena> arena_;
  ReportLog& log_;
  GroupOptions options_;
  Schedule schedule_;
  ScheduleRecord record_;
  const Launch* launch_ = nullptr;
  std::vector<std::unique_ptr<GroupRunner>> in_flight_;  ///< by rising number of their group
  std::vector<std::unique_ptr<GroupRunner>> idle_;
  std::optional<ThreadNumber> next_;  ///< the thread that goes on; else the first that can
  ThreadNumber last_;
  std::uint32_t in_a_row_ = 0;  ///< atomic accesses of `last_`
};

}  // namespace assay::metal::emulator
