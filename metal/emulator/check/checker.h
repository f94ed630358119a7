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

  /// All that comes is ordered after all that was.
  void begin_sequence();

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
  bool access(Allocation* allocation, std::uint32_t thread, const void* address, std::uint64_t bytes, abi::Access kind,
              const void* pc);

 private:
  struct Group {
    std::uint32_t start;
    const DispatchInfo* dispatch;
    std::uint64_t number;
  };
  /// An access while it is judged.
  struct Request {
    Allocation& allocation;
    const SpaceClock& space;
    std::uint32_t thread;
    abi::Access kind;
    const void* pc;
    std::uint64_t bytes;
    bool is_atomic, is_reported;

    static Access at(std::uint32_t time, std::uint32_t thread, const void* pc, bool is_atomic = false);
    Access now(const Clock& clock) const { return at(clock.now(), thread, pc, is_atomic); }
  };

  void allow(const BoundMemory& memory);
  bool is_plain_read(const Cell& cell, const Allocation& allocation, const SpaceClock& space,
                     std::uint32_t thread) const;
  bool is_plain_write(const Cell& cell, const SpaceClock& space, std::uint32_t thread) const;
  void judge(Request request, std::uint64_t offset);
  bool overlaps(const SpaceClock& space, const Cell& cell, Cell::Slot slot, std::uint32_t thread) const;
  std::uint32_t live_since(const Allocation& allocation) const;
  void read(Request& request, Cell& cell, std::uint64_t offset, std::uint64_t bytes);
  void write(Request& request, Cell& cell, std::uint64_t offset);
  void keep_read(Cell& cell, const SpaceClock& space, const Access& now) const;
  bool conflicts(const Request& request, const Cell& cell, Cell::Slot slot) const;
  bool was_written(const Request& request, Cell& cell, std::uint64_t offset, std::uint64_t bytes) const;

  void report_outside(std::uint32_t thread, const void* address, std::uint64_t bytes, abi::Access kind, const void* pc);
  void report_unwritten(Request& request, std::uint64_t offset);
  void report_race(Request& request, const Cell& cell, Cell::Slot slot, std::uint64_t offset);
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
