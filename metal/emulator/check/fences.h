// The order that fences and atomics make between two threads: Metal Shading Language Specification, 6.15.1 and 6.15.3.
//
//   one thread: writes data, fence, writes an atomic        another: reads the atomic, fence, reads the data
//
// The first fence has to release, the second to acquire, and the scope of both has to reach the other thread. Barriers
// carry the order on: what the threads of a group did before a barrier is released by a fence behind it, and what one
// of them acquires is acquired by all behind the next barrier.
//
// Atomics are not told apart: if one thread wrote any atomic before the other read any, the two threads count as
// ordered. So the checker may assume an order that does not exist. It never misses one that exists.
#pragma once

#include <array>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "metal/emulator/abi/shader_abi.h"

namespace assay::metal::emulator {

/// A thread of a sequence of dispatches: when its group started, and its number there.
struct FencedThread {
  std::uint32_t group_start = 0, thread = 0;
  std::uint32_t simdgroup() const { return thread / abi::lanes_per_simdgroup; }
};

/// The kinds of memory that a fence or a barrier may cover.
inline constexpr std::array<abi::MemoryFlags, 3> memory_spaces = {abi::mem_device, abi::mem_threadgroup,
                                                                  abi::mem_texture};

/// When a fence comes: accesses up to `now` by its thread are before it. So are those of its group and of its simdgroup
/// before the last barrier that covers each kind of memory.
struct FenceTime {
  std::uint32_t now = 0;
  std::array<std::uint32_t, memory_spaces.size()> group_barrier{}, simdgroup_barrier{};
};

class Fences {
 public:
  void begin_sequence();
  /// The groups run one after the other.
  void begin_group();
  void pass_threadgroup_barrier(std::uint32_t flags);
  void pass_simdgroup_barrier(std::uint32_t simdgroup, std::uint32_t flags);

  /// Later accesses of its thread must have later times.
  void fence(FencedThread thread, std::uint32_t flags, abi::MemoryOrder order, abi::FenceScope scope,
             const FenceTime& time);
  void atomic_access(FencedThread thread, abi::Access kind) {
    if (!threads_.empty()) note_atomic(thread, kind);  // before the first fence none counts
  }

  /// Whether the access of `one` at `time` comes before what `other`, of the running group, does now. `flag` is that of
  /// the memory.
  bool order(FencedThread one, std::uint32_t time, FencedThread other, std::uint32_t flag) const;

 private:
  /// How far a fence reaches: to its own thread, its simdgroup, its threadgroup, the device.
  static constexpr std::size_t reaches = 4;
  /// The last atomic that was read before an acquiring fence: by memory, by how far the fence reaches at least.
  using Acquired = std::array<std::array<std::uint64_t, reaches>, memory_spaces.size()>;

  struct Fence {
    std::uint32_t thread = 0, flags = 0;
    std::size_t reach = 0;
    FenceTime time;
    std::uint64_t released = 0;  ///< the first atomic that its thread wrote behind it; 0: none yet
  };
  struct Thread {
    std::uint64_t last_read = 0;  ///< the number of the last atomic that it read
    Acquired acquired{};
  };

  void note_atomic(FencedThread thread, abi::Access kind);
  void release(FencedThread thread, std::uint32_t flags, std::size_t reach, const FenceTime& time);
  void acquire(FencedThread thread, std::uint32_t flags, std::size_t reach);
  std::uint64_t acquired_by(FencedThread thread, std::size_t space, std::size_t reach) const;
  static std::uint64_t key(FencedThread thread) { return std::uint64_t{thread.group_start} << 10 | thread.thread; }

  std::unordered_map<std::uint64_t, Thread> threads_;               ///< those that came to a fence or an atomic
  std::unordered_map<std::uint32_t, std::vector<Fence>> released_;  ///< the releasing fences of each group
  std::uint64_t atomics_ = 0;

  // Acquired by any thread of the running group, or of one of its simdgroups; and by all threads, after the last
  // barrier.
  Acquired any_{}, all_{};
  std::array<Acquired, abi::lanes_per_simdgroup> any_of_simdgroup_{}, all_of_simdgroup_{};
};

}  // namespace assay::metal::emulator
