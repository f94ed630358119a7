// When an access is ordered after an earlier one: the happens-before of a dispatch on one clock.
//
// The threads of a group run one after the other, and so do the groups. So one counter is enough for the time. It ticks
// at each barrier and at the start of each group. Two accesses by different threads are ordered if
//
//   - they belong to different dispatches, and no concurrent encoder lets these overlap;
//   - both threads are in one group, and a threadgroup barrier that covers the memory was passed in between;
//   - both are in one simdgroup, and a simdgroup barrier that covers the memory was passed in between.
//
// Threads of different groups are never ordered. Metal Shading Language Specification, 6.9.1 and 6.15. Time 0 means
// never, and time 1 (Trace::host_time) stands for all that the host did.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "metal/emulator/abi/shader_abi.h"
#include "metal/emulator/memory/shadow.h"

namespace assay::metal::emulator {

/// The times that order accesses of device memory, of threadgroup memory, or of textures.
struct SpaceClock {
  std::uint32_t now = 2;
  std::uint32_t valid_from = 1;      ///< memory written before this time counts as never written
  std::uint32_t ordered_before = 2;  ///< accesses before this time are ordered before those of the running group
  std::uint32_t group_start = 2;     ///< when the running group started
  std::uint32_t group_barrier = 2;   ///< when the running group passed its last threadgroup barrier
  std::array<std::uint32_t, 32> simdgroup_barriers{};

  /// Whether a past access may overlap with what thread `me` of the running group does now.
  [[gnu::always_inline]] bool overlaps(Trace past, std::uint32_t me) const {
    const std::uint32_t time = past.time();
    if (time - group_start < group_barrier - group_start) return false;  // of this group, before its last barrier
    if (time < ordered_before) return false;
    if (time < group_start) return true;
    const std::uint32_t simdgroup = me / abi::lanes_per_simdgroup;
    return past.thread() != me && (past.simdgroup() != simdgroup || time >= simdgroup_barriers[simdgroup]);
  }
};

class Clock {
 public:
  static constexpr std::uint32_t last = ~std::uint32_t{0};

  explicit Clock(std::uint32_t now = 2) { device_.now = threadgroup_.now = texture_.now = now; }

  /// All accesses from now on are ordered after all accesses before.
  void begin_sequence() {
    tick();
    device_.ordered_before = texture_.ordered_before = now();
  }

  /// The same for a record that knows nothing of what was before. Device memory counts as written before then if a
  /// trace of the time valid_from says so.
  void begin_trial() {
    tick();
    device_.valid_from = texture_.valid_from = now();
    begin_sequence();
  }

  void begin_group() {
    tick();
    for (SpaceClock* space : {&device_, &threadgroup_, &texture_}) {
      space->group_start = space->group_barrier = now();
      space->simdgroup_barriers.fill(now());
    }
    threadgroup_.valid_from = threadgroup_.ordered_before = now();
    group_barrier_ = {now(), abi::mem_none};
    simdgroup_barriers_.fill(group_barrier_);
  }

  void pass_threadgroup_barrier(std::uint32_t flags) {
    tick();
    if (flags & abi::mem_device) device_.group_barrier = now();
    if (flags & abi::mem_threadgroup) threadgroup_.group_barrier = now();
    if (flags & abi::mem_texture) texture_.group_barrier = now();
    group_barrier_ = {now(), flags};
  }

  void pass_simdgroup_barrier(std::uint32_t simdgroup, std::uint32_t flags) {
    tick();
    if (flags & abi::mem_device) device_.simdgroup_barriers[simdgroup] = now();
    if (flags & abi::mem_threadgroup) threadgroup_.simdgroup_barriers[simdgroup] = now();
    if (flags & abi::mem_texture) texture_.simdgroup_barriers[simdgroup] = now();
    simdgroup_barriers_[simdgroup] = {now(), flags};
  }

  /// The flags of the last barrier between a past access in the running group and what thread `me` does now, whatever
  /// memory it orders; nothing if there was none.
  std::optional<std::uint32_t> barrier_since(Trace past, std::uint32_t me) const {
    if (past.time() < group_barrier_.time) return group_barrier_.flags;
    const Barrier& of_simdgroup = simdgroup_barriers_[me / abi::lanes_per_simdgroup];
    if (past.simdgroup() == me / abi::lanes_per_simdgroup && past.time() < of_simdgroup.time) return of_simdgroup.flags;
    return std::nullopt;
  }

  /// Tells what a thread does after a fence from what it did before.
  void pass_fence() { tick(); }

  std::uint32_t now() const { return device_.now; }
  std::uint32_t group_start() const { return device_.group_start; }
  const SpaceClock& of(abi::MemoryFlags space) const {
    return space == abi::mem_threadgroup ? threadgroup_ : space == abi::mem_texture ? texture_ : device_;
  }

  /// Whether a new clock should be taken before the next sequence begins.
  bool is_near_end() const { return now() > last / 2; }
  /// The clock no longer ticks, and so no longer tells what is ordered.
  bool has_stopped() const { return now() == last; }

 private:
  void tick() {
    if (now() != last) device_.now = texture_.now = ++threadgroup_.now;
  }

  struct Barrier {
    std::uint32_t time = 2, flags = 0;
  };

  SpaceClock device_, threadgroup_, texture_;
  Barrier group_barrier_;
  std::array<Barrier, 32> simdgroup_barriers_{};
};

}  // namespace assay::metal::emulator
