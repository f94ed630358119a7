// memcheck, initcheck and racecheck of each access by a shader that was compiled for checking.
//
// One checker sees all accesses of a device one after the other. In a Trial each OS thread has a checker of its own,
// whose record of accesses knows only those of this thread.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "metal/emulator/abi/shader_abi.h"
#include "metal/emulator/check/clock.h"
#include "metal/emulator/check/dispatch_info.h"
#include "metal/emulator/check/fences.h"
#include "metal/emulator/check/report_log.h"
#include "metal/emulator/memory/arena.h"

namespace assay::metal::emulator {

/// The checks that report their findings.
struct Checks {
  bool memcheck = true, initcheck = true, racecheck = true, synccheck = true, simdcheck = true;
};

class Checker {
 public:
  /// `record` is the number of its record of accesses. 0: the device's own; else it is for trials, whose findings are
  /// not read, only counted.
  Checker(ReportLog& log, Checks checks, std::size_t record = 0) : log_(log), checks_(checks), record_(record) {}

  std::size_t record() const { return record_; }

  /// All accesses from now on are ordered after all accesses before. `arena` must be that of all memory of this
  /// checker.
  void begin_sequence(Arena& arena);

  /// `dispatch` must live until the first begin_sequence() after end_dispatch(). add() adds to it.
  void begin_dispatch(DispatchInfo& dispatch);
  void end_dispatch();
  void begin_group(std::uint64_t group);

  /// Adds memory to the dispatch. A threadgroup variable becomes known only when a thread first uses it.
  void add(BoundMemory memory);

  void pass_threadgroup_barrier(std::uint32_t flags) {
    clock_.pass_threadgroup_barrier(flags);
    fences_.pass_threadgroup_barrier(flags);
  }
  void pass_simdgroup_barrier(std::uint32_t simdgroup, std::uint32_t flags) {
    clock_.pass_simdgroup_barrier(simdgroup, flags);
    fences_.pass_simdgroup_barrier(simdgroup, flags);
  }

  /// The thread of the running group comes to a fence of the memory that the flags name.
  void fence(std::uint32_t thread, std::uint32_t flags, abi::MemoryOrder order, abi::FenceScope scope);

  /// A fault has ended a thread of the dispatch. Memory that the thread did not reach is not reported as unwritten.
  void note_fault() { had_fault_ = true; }

  /// Checks an access by `thread` of the running group. `allocation` is the one to whose pages the address belongs, or
  /// null. Returns false if the access must not be performed.
  bool judge(Allocation* allocation, std::uint32_t thread, const void* address, std::uint64_t bytes, abi::Access kind,
             const void* pc);

  /// The clock no longer tells what is ordered, and so no more races are found in this sequence.
  bool clock_has_stopped() const { return clock_.has_stopped(); }

  /// Traces of later times in the record are of this sequence.
  std::uint32_t sequence_start() const { return clock_.of(abi::mem_device).ordered_before - 1; }

 private:
  struct Group {
    std::uint32_t start;
    const DispatchInfo* dispatch;
    std::uint64_t number;
  };
  /// An access that is being checked.
  struct Request {
    Allocation& allocation;
    const AllowedWords& words;
    std::uint32_t thread;
    abi::Access kind;
    const void* pc;
    std::uint64_t bytes;
    Trace now;
    bool is_reported = false;

    bool overlaps(Trace past) const { return words.clock->overlaps(past, thread); }
    bool conflicts(Trace past) const { return !(now.is_atomic() && past.is_atomic()) && overlaps(past); }
  };

  /// A write that raced with an earlier write, until it is known which value it writes. Until then the allocation has
  /// no words for the fast path, so that nothing changes the value unseen.
  struct RacingWrite {
    ReportLog::Key key;
    Allocation* allocation = nullptr;
    std::uint64_t offset = 0, words = 0;
    std::vector<std::byte> before;
  };

  void allow(const BoundMemory& memory);
  void note_read_only();
  Shadow& shadow_of(Allocation& allocation) const;
  bool is_trial() const { return record_ != 0; }
  void end_trial();
  void await_value(const Request& request, std::uint64_t offset, const ReportLog::Key& key);
  void settle_value();
  void read(Request& request, Cell cell, std::uint64_t offset, std::uint64_t bytes);
  void write(Request& request, Cell cell, std::uint64_t offset);
  static bool was_written(const Request& request, Cell cell, std::uint64_t offset, std::uint64_t bytes);

  void report_out_of_bounds(std::uint32_t thread, const void* address, std::uint64_t bytes, abi::Access kind,
                            const void* pc);
  void report_unwritten(Request& request, std::uint64_t offset);
  void report_race(Request& request, Trace earlier, const char* action, std::uint64_t offset);
  void explain_race(const Request& request, Trace earlier, bool same_group, Report& report) const;
  Finding finding(Check check, std::uint32_t thread, const void* address, std::uint64_t bytes, abi::Access kind,
                  const void* pc) const;
  const Group& group_at(std::uint32_t time) const;

  ReportLog& log_;
  Checks checks_;
  std::size_t record_;
  Clock clock_;
  Fences fences_;
  std::deque<Group> groups_;  ///< since the sequence began; a deque grows without a copy, and there may be 2^26
  DispatchInfo* dispatch_ = nullptr;
  std::vector<Allocation*> allowed_;
  bool had_fault_ = false;
  std::optional<RacingWrite> racing_write_;
};

}  // namespace assay::metal::emulator
