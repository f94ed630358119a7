// When an access is ordered after an earlier one: the happens-before of a dispatch on one clock.
//
// The threads of a group run one after the other, and groups too, so one counter tells the time. It ticks at each
// barrier and at each group's start. Two accesses by different threads are ordered if
//
//   - they are of different dispatches, and no concurrent encoder lets these overlap;
//   - both threads are of one group, and a threadgroup barrier that covers the memory was passed in between;
//   - both are of one simdgroup, and a simdgroup barrier that covers the memory was passed in between.
//
// Threads of different groups are never ordered. Metal Shading Language Specification, 6.9.1 and 6.15.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "metal/emulator/check/shadow.h"
#include "metal/emulator/shader_abi.h"

namespace assay::metal::emulator {

/// The times that order accesses of device memory, or of threadgroup memory.
struct SpaceClock {
  std::uint32_t settled = 2;  ///< whatever came before is ordered before everything now
  std::uint32_t group = 2;    ///< the group's last barrier
  std::array<std::uint32_t, 32> simdgroups{};
};

class Clock {
 public:
  /// What comes is ordered after all that was.
  void begin_sequence() { device_.settled = ++now_; }

  void begin_group() {
    group_start_ = ++now_;
    device_.group = threadgroup_.group = threadgroup_.settled = group_start_;
    device_.simdgroups.fill(group_start_);
    threadgroup_.simdgroups.fill(group_start_);
  }

  void pass_threadgroup_barrier(std::uint32_t flags) {
    ++now_;
    if (flags & abi::mem_device) device_.group = now_;
    if (flags & abi::mem_threadgroup) threadgroup_.group = now_;
  }

  void pass_simdgroup_barrier(std::uint32_t simdgroup, std::uint32_t flags) {
    ++now_;
    if (flags & abi::mem_device) device_.simdgroups[simdgroup] = now_;
    if (flags & abi::mem_threadgroup) threadgroup_.simdgroups[simdgroup] = now_;
  }

  std::uint32_t now() const { return now_; }
  std::uint32_t group_start() const { return group_start_; }
  const SpaceClock& of(bool threadgroup_memory) const { return threadgroup_memory ? threadgroup_ : device_; }

  /// Whether an access at `time` by `thread` may overlap with what `me`, of the group that runs, does now.
  bool overlaps(const SpaceClock& space, std::uint32_t time, std::uint32_t thread, std::uint32_t me) const {
    if (time < space.settled) return false;
    if (time < group_start_) return true;
    if (thread == me || time < space.group) return false;
    const std::uint32_t simdgroup = me / abi::lanes_per_simdgroup;
    return thread / abi::lanes_per_simdgroup != simdgroup || time >= space.simdgroups[simdgroup];
  }

 private:
  std::uint32_t now_ = 2, group_start_ = 2;
  SpaceClock device_, threadgroup_;
};

}  // namespace assay::metal::emulator
