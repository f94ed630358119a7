// memcheck, initcheck and racecheck: judges each access of a shader that was compiled for checking.
//
// One checker sees all accesses of a device one after the other: checked dispatches run on one OS thread.
#pragma once

#include <cstdint>
#include <vector>

#include "metal/emulator/check/clock.h"
#include "metal/emulator/check/dispatch_info.h"
#include "metal/emulator/check/report_log.h"
#include "metal/emulator/shader_abi.h"
#include "metal/emulator/simt/arena.h"

namespace assay::metal::emulator {

/// Which findings are reported.
struct Checks {
  bool memcheck = true, initcheck = true, racecheck = true, synccheck = true;
};

class Checker {
 public:
  Checker(ReportLog& log, Checks checks) : log_(log), checks_(checks) {}

  /// All that comes is ordered after all that was. The arena is that of all memory that is ever added.
  void begin_sequence(Arena& arena);

  /// `dispatch` must live until the next begin_sequence() after end_dispatch(), and is completed by add().
  void begin_dispatch(DispatchInfo& dispatch);
  void end_dispatch();
  void begin_group(std::uint64_t group);

  /// Adds memory to the dispatch: a threadgroup variable is met when the first thread comes to it.
  void add(BoundMemory memory);

  void pass_threadgroup_barrier(std::uint32_t flags) { clock_.pass_threadgroup_barrier(flags); }
  void pass_simdgroup_barrier(std::uint32_t simdgroup, std::uint32_t flags) {
    clock_.pass_simdgroup_barrier(simdgroup, flags);
  }

  /// A fault has ended a thread of the dispatch: what it would have written is not missed.
  void lose_thread() { has_lost_thread_ = true; }

  /// Judges an access of `allocation`, on whose pages the address is (null: of none), by `thread` of the group that
  /// runs. False where it must not be performed.
  bool judge(Allocation* allocation, std::uint32_t thread, const void* address, std::uint64_t bytes, abi::Access kind,
             const void* pc);

  /// The time no longer tells what is in order: no more races are found in this sequence.
  bool clock_has_stopped() const { return clock_.has_stopped(); }

 private:
  struct Group {
    std::uint32_t start;
    const DispatchInfo* dispatch;
    std::uint64_t number;
  };
  /// An access while it is judged.
  struct Request {
    Allocation& allocation;
    std::uint32_t thread;
    abi::Access kind;
    const void* pc;
    std::uint64_t bytes;
    Trace now;
    bool is_reported = false;

    bool overlaps(Trace past) const { return allocation.words.clock->overlaps(past, thread); }
    bool conflicts(Trace past) const { return !(now.is_atomic() && past.is_atomic()) && overlaps(past); }
  };

  void allow(const BoundMemory& memory);
  void read(Request& request, Cell& cell, std::uint64_t offset, std::uint64_t bytes);
  void write(Request& request, Cell& cell, std::uint64_t offset);
  static bool was_written(const Request& request, Cell& cell, std::uint64_t offset, std::uint64_t bytes);

  void report_outside(std::uint32_t thread, const void* address, std::uint64_t bytes, abi::Access kind, const void* pc);
  void report_unwritten(Request& request, std::uint64_t offset);
  void report_race(Request& request, Trace earlier, const char* action, std::uint64_t offset);
  Finding finding(Check check, std::uint32_t thread, const void* address, std::uint64_t bytes, abi::Access kind,
                  const void* pc) const;
  const Group& group_at(std::uint32_t time) const;

  ReportLog& log_;
  Checks checks_;
  Clock clock_;
  std::vector<Group> groups_;  ///< since the sequence began
  DispatchInfo* dispatch_ = nullptr;
  std::vector<Allocation*> allowed_;
  bool has_lost_thread_ = false;
};

}  // namespace assay::metal::emulator
