// Runs threadgroups on one OS thread, and implements abi::Services for their threads.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "metal/device/result.h"
#include "metal/emulator/check/checker.h"
#include "metal/emulator/dispatch/launch.h"
#include "metal/emulator/memory/threadgroup_memory.h"
#include "metal/emulator/numerics/follower.h"
#include "metal/emulator/simt/barriers.h"
#include "metal/emulator/simt/order.h"
#include "metal/emulator/simt/scheduler.h"

namespace assay::metal::emulator {

class Interleaver;

struct GroupOptions {
  ThreadOrder order = ThreadOrder::forward;
  std::uint64_t seed = 1;
  bool synccheck = true, simdcheck = true;
};

class GroupRunner final : private BarrierListener {
 public:
  GroupRunner(const std::shared_ptr<Arena>& arena, ReportLog& log, GroupOptions options);

  /// Prepares to run groups of `launch` on the calling OS thread. `launch` must outlive them. The checker and the
  /// follower may be null.
  void begin_dispatch(const Launch& launch, Checker* checker, Follower* follower);

  /// The same, unchecked, for threads that `interleaver` may pause at their atomic accesses.
  void begin_dispatch(const Launch& launch, Interleaver* interleaver);

  /// Runs one group. Returns false if the dispatch must stop.
  bool run(std::uint64_t group) {
    begin(group);
    return go_on() == Progress::ended;
  }

  /// Begins a group. Nothing runs yet.
  void begin(std::uint64_t group);

  /// Runs the group, first `thread` if it is given and ready, until it has ended, the dispatch must stop, or the
  /// interleaver pauses a thread.
  enum class Progress { ended, stopped, paused };
  Progress go_on(std::optional<std::uint32_t> thread = std::nullopt);

  std::uint64_t group() const { return group_; }
  Scheduler& scheduler() { return scheduler_; }
  const Scheduler& scheduler() const { return scheduler_; }
  /// Takes note of the threads that have yielded at the fast barrier.
  void note_yielded() {
    if (const std::span<const abi::ReadyThread> others = scheduler_.take_yielded(); !others.empty()) note(others);
  }

  /// The first error since begin_dispatch().
  const std::optional<Error>& error() const { return error_; }
  std::uint64_t static_length() const { return memory_.variable_bytes(); }

  // Services, called by the threads.
  template <class Bytes, class Kind>
  void access(const void* address, Bytes bytes, Kind kind, const void* pc);
  void* threadgroup_variable(const void* key, std::uint64_t bytes, const char* name);
  void fence(std::uint32_t flags, abi::MemoryOrder order, abi::FenceScope scope) {
    if (checker_) checker_->fence(scheduler_.current(), flags, order, scope);
  }
  const abi::Position* position() const { return &positions_[scheduler_.current()]; }
  void barrier(abi::Scope scope, std::uint32_t flags, const abi::Site* site);
  abi::ActiveLanes all_gather(abi::Scope scope, const void* mine, std::uint64_t bytes, void* all,
                              const abi::Site* site);
  void leave(const abi::Site& site) { barriers_.leave(scheduler_.current(), site); }
  void undefined_lane(abi::Scope scope, std::uint32_t lane, const abi::Site& site);
  void blocks(std::uint64_t count, const void* pc) { count_steps(count, nullptr, pc); }
  [[noreturn]] void index_out_of_bounds(const abi::Site& site, std::uint64_t index, const char* type,
                                        std::uint64_t count, const void* pc);
  void log(const char* format, std::span<const abi::LogValue> values, const abi::Site& site) const;
  [[noreturn]] void texture_out_of_bounds(const abi::Texture& texture, const abi::TexelPlace& place,
                                          const abi::Site& site);

  [[noreturn]] void undefined_integer(abi::IntegerOperation operation, const abi::IntegerOperand& left,
                                      const abi::IntegerOperand& right, const void* pc);

  /// Called on the current thread's stack after the processor refused an access, a division or another instruction of
  /// that thread: signals.h.
  [[noreturn]] void fault(const void* address, const void* pc);
  [[noreturn]] void division_overflow(const void* pc);
  [[noreturn]] void refused_instruction(const void* pc);
  Follower* follower() const { return follower_; }
  abi::FastBarrier& fast_barrier() { return scheduler_.fast_barrier(); }
  Fiber* running_fiber() const { return is_running_ ? &scheduler_.current_fiber() : nullptr; }

 private:
  void place_threads();
  static void run_thread(void* self, std::uint32_t thread);

  void release(std::span<const std::uint32_t> threads) override { scheduler_.make_ready(threads); }
  void release_in_order_of_arrival(std::uint32_t threads) override { scheduler_.requeue_last(threads); }
  void threadgroup_barrier_passed(std::uint32_t flags) override;
  void simdgroup_barrier_passed(std::uint32_t simdgroup, std::uint32_t flags) override;
  bool follows_values() const override { return follower_ != nullptr; }
  void value_moved(const void* to, const void* from, std::uint64_t bytes) override { follower_->move(to, from, bytes); }
  void lanes_missing(std::uint32_t simdgroup, std::uint32_t active, std::uint32_t missing,
                     const abi::Site& site) override;
  void barrier_skipped(std::uint32_t waiting, const abi::Site& site, std::uint32_t finished) override;
  void barriers_differ(std::uint32_t one, const abi::Site& site_of_one, std::uint32_t other,
                       const abi::Site& site_of_other) override;

  template <class Bytes, class Kind>
  void access_shared(Allocation* allocation, const void* address, Bytes bytes, Kind kind, const void* pc);
  void judge(Allocation* allocation, const void* address, std::uint64_t bytes, abi::Access kind, const void* pc);
  void count_steps(std::uint64_t count, const abi::Site* site, const void* pc) {
    if (__builtin_sub_overflow(steps_left_, count, &steps_left_)) stop_endless(site, pc);
  }
  void note(std::span<const abi::ReadyThread> others);
  [[noreturn]] void stop_endless(const abi::Site* site, const void* pc);
  void report_endless(const abi::Site* site, const void* pc);
  void fail(const std::string& text);
  [[noreturn]] void end_by_fault();
  [[noreturn]] void end_by_fault(const std::string& error);
  [[noreturn]] void end_by_integer_fault(const std::string& message, const std::string& operands,
                                         const std::string& advice, const void* pc);
  Finding finding(Check check, std::string message, Event event, std::optional<Event> other = {}) const;
  std::optional<Event> whereabouts(std::uint32_t thread) const;
  Event event_of(std::uint32_t thread, std::string action, SourcePosition position) const;

  ReportLog& log_;
  GroupOptions options_;
  ThreadgroupMemory memory_;
  Scheduler scheduler_;
  Order order_;
  Barriers barriers_;
  std::vector<abi::Position> positions_;  ///< of each thread; those in the grid are filled in when it begins
  const Launch* launch_ = nullptr;
  Checker* checker_ = nullptr;
  std::size_t record_ = 0;  ///< of the checker
  Interleaver* interleaver_ = nullptr;
  Follower* follower_ = nullptr;
  const Arena* arena_;
  std::uint64_t group_ = 0, steps_left_ = 0;
  Size group_position_, extent_;
  bool is_running_ = false;
  std::optional<Error> error_;
};

}  // namespace assay::metal::emulator
