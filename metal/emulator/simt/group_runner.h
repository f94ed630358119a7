// Runs threadgroups on one OS thread, and does for their threads what Services promises.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "metal/device/result.h"
#include "metal/emulator/check/checker.h"
#include "metal/emulator/simt/launch.h"
#include "metal/emulator/simt/meetings.h"
#include "metal/emulator/simt/order.h"
#include "metal/emulator/simt/scheduler.h"
#include "metal/emulator/simt/threadgroup_memory.h"

namespace assay::metal::emulator {

struct GroupOptions {
  ThreadOrder order = ThreadOrder::forward;
  std::uint64_t seed = 1;
  bool synccheck = true;
};

class GroupRunner final : private MeetingListener {
 public:
  GroupRunner(const std::shared_ptr<Arena>& arena, ReportLog& log, GroupOptions options);

  /// Makes ready for groups of `launch`, which must outlive them, all on one OS thread. The checker may be null.
  void begin_dispatch(const Launch& launch, Checker* checker);

  /// Runs one group. False where the dispatch must be stopped.
  bool run(std::uint64_t group);

  /// What went wrong since begin_dispatch().
  const std::optional<Error>& error() const { return error_; }
  std::uint64_t static_length() const { return memory_.variable_bytes(); }

  // Services, called by the threads.
  void access(const void* address, std::uint64_t bytes, abi::Access kind, const void* pc);
  void* threadgroup_variable(const void* key, std::uint64_t bytes, const char* name);
  void barrier(abi::Scope scope, std::uint32_t flags, const abi::Site* site);
  abi::Meeting exchange(abi::Scope scope, const void* mine, std::uint64_t bytes, void* all, const abi::Site* site);
  void blocks(std::uint64_t count, const void* pc) { count_steps(count, nullptr, pc); }
  [[noreturn]] void overrun(const abi::Site& site, std::uint64_t index, const char* type);

  /// The processor refused an access of the current thread, which has been sent here: signals.h.
  [[noreturn]] void fault(const void* address, const void* pc);
  abi::Round& round() { return scheduler_.round(); }
  Fiber* running_fiber() const { return is_running_ ? &scheduler_.current_fiber() : nullptr; }

 private:
  void place_threads();
  static void run_thread(void* self, std::uint32_t thread);

  void release(std::span<const std::uint32_t> threads) override { scheduler_.make_ready(threads); }
  void release_again(std::uint32_t threads) override { scheduler_.make_ready_again(threads); }
  void threadgroup_barrier_passed(std::uint32_t flags) override;
  void simdgroup_barrier_passed(std::uint32_t simdgroup, std::uint32_t flags) override;
  void barrier_skipped(std::uint32_t waiting, const abi::Site& site, std::uint32_t ended) override;
  void barriers_differ(std::uint32_t one, const abi::Site& site_of_one, std::uint32_t other,
                       const abi::Site& site_of_other) override;

  void judge(Allocation* allocation, const void* address, std::uint64_t bytes, abi::Access kind, const void* pc);
  void count_steps(std::uint64_t count, const abi::Site* site, const void* pc) {
    if (__builtin_sub_overflow(steps_left_, count, &steps_left_)) end_endless(site, pc);
  }
  /// Notes those that have come to a barrier by themselves.
  void catch_up() {
    if (const std::span<const abi::Turn> others = scheduler_.gone(); !others.empty()) note(others);
  }
  void note(std::span<const abi::Turn> others);
  [[noreturn]] void end_endless(const abi::Site* site, const void* pc);
  void report_endless(const abi::Site* site, const void* pc);
  void fail(const char* text);
  [[noreturn]] void end_by_fault();
  Event event_of(std::uint32_t thread, const char* action, SourcePosition position) const;

  ReportLog& log_;
  GroupOptions options_;
  ThreadgroupMemory memory_;
  Scheduler scheduler_;
  Order order_;
  Meetings meetings_;
  std::vector<abi::Position> positions_;  ///< of each thread, but for the group's own place
  const Launch* launch_ = nullptr;
  Checker* checker_ = nullptr;
  const Arena* arena_;
  std::uint64_t group_ = 0, steps_left_ = 0;
  Size group_position_, extent_;
  bool is_running_ = false;
  std::optional<Error> error_;
};

/// The runner whose threads run on this OS thread, or null.
GroupRunner* runner_here();

/// Makes it another one; the one before.
GroupRunner* exchange_runner_here(GroupRunner* next);

/// What every shader is bound to: the runner of the OS thread on which it is asked.
const abi::Services& services();

}  // namespace assay::metal::emulator
