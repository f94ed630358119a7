// When an access is ordered after an earlier one: the happens-before of a dispatch on one clock.
//
// The threads of a group run one after the other, and groups too, so one counter tells the time. It ticks at each
// barrier and at each group's start. Two accesses by different threads are ordered if
//
//   - they are of different dispatches, and no concurrent encoder lets these overlap;
//   - both threads are of one group, and a threadgroup barrier that covers the memory was passed in between;
//   - both are of one simdgroup, and a simdgroup barrier that covers the memory was passed in between.
//
// Threads of different groups are never ordered. Metal Shading Language Specification, 6.9.1 and 6.15. Time 0 is never,
// 1 the host's.
#pragma once

#include <array>
#include <cstdint>

#include "metal/emulator/check/shadow.h"
#include "metal/emulator/shader_abi.h"

namespace assay::metal::emulator {

/// The times that order accesses of device memory, or of threadgroup memory.
struct SpaceClock {
  std::uint32_t now = 2;
  std::uint32_t live = 1;     ///< what was written before counts as never written
  std::uint32_t settled = 2;  ///< whatever came before is ordered before everything now
  std::uint32_t start = 2;    ///< of the group that runs
  std::uint32_t group = 2;    ///< the group's last barrier
  std::array<std::uint32_t, 32> simdgroups{};

  /// Whether an access in the past may overlap with what `me`, of the group that runs, does now.
  [[gnu::always_inline]] bool overlaps(Trace past, std::uint32_t me) const {
    const std::uint32_t time = past.time();
    if (time - start < group - start) return false;  // of this group, before its last barrier
    if (time < settled) return false;
    if (time < start) return true;
    const std::uint32_t simdgroup = me / abi::lanes_per_simdgroup;
    return past.thread() != me && (past.simdgroup() != simdgroup || time >= simdgroups[simdgroup]);
  }
};

class Clock {
 public:
  static constexpr std::uint32_t host = 1, last = ~std::uint32_t{0};

  explicit Clock(std::uint32_t now = 2) { device_.now = threadgroup_.now = now; }

  /// What comes is ordered after all that was.
  void begin_sequence() {
    tick();
    device_.settled = now();
  }

  void begin_group() {
    tick();
    for (SpaceClock* space : {&device_, &threadgroup_}) {
      space->start = space->group = now();
      space->simdgroups.fill(now());
    }
    threadgroup_.live = threadgroup_.settled = now();
  }

  void pass_threadgroup_barrier(std::uint32_t flags) {
    tick();
    if (flags & abi::mem_device) device_.group = now();
    if (flags & abi::mem_threadgroup) threadgroup_.group = now();
  }

  void pass_simdgroup_barrier(std::uint32_t simdgroup, std::uint32_t flags) {
    tick();
    if (flags & abi::mem_device) device_.simdgroups[simdgroup] = now();
    if (flags & abi::mem_threadgroup) threadgroup_.simdgroups[simdgroup] = now();
  }

  std::uint32_t now() const { return device_.now; }
  std::uint32_t group_start() const { return device_.start; }
  const SpaceClock& of(bool threadgroup_memory) const { return threadgroup_memory ? threadgroup_ : device_; }

  /// Time for a new clock, before a sequence begins.
  bool is_late() const { return now() > last / 2; }
  /// The time no longer tells what was before and what after.
  bool has_stopped() const { return now() == last; }

 private:
  void tick() {
    if (now() != last) device_.now = ++threadgroup_.now;
  }

  SpaceClock device_, threadgroup_;
};

}  // namespace assay::metal::emulator
