// The order that atomic_thread_fence makes between two threads: Metal Shading Language Specification, 6.15.3.
//
//   one thread: writes data, fence, writes an atomic        another: reads the atomic, fence, reads the data
//
// Which atomic is which is not followed: any atomic of the one that was written before any atomic that the other read
// is taken for the one that connects them. So an order may be seen where there is none, and none is missed.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "metal/emulator/abi/shader_abi.h"

namespace assay::metal::emulator {

/// A thread of a sequence of dispatches: when its group started, and its number there.
struct FencedThread {
  std::uint32_t group_start = 0, thread = 0;
  bool operator==(const FencedThread&) const = default;
};

class Fences {
 public:
  void begin_sequence() { threads_.clear(); }

  /// `time` is that of the accesses before the fence; those after it are later.
  void fence(FencedThread thread, std::uint32_t flags, std::uint32_t time);
  void atomic_access(FencedThread thread) {
    if (!threads_.empty()) note_atomic(thread);  // before the first fence none counts
  }

  /// Whether the access of `one` at `time` comes before what `other` does now. `flag` is that of the memory.
  bool order(FencedThread one, std::uint32_t time, FencedThread other, std::uint32_t flag) const;

 private:
  void note_atomic(FencedThread thread);

  struct Fence {
    std::uint32_t time = 0, flags = 0;
    std::uint64_t released = 0;  ///< the first atomic access behind it; 0: none yet
  };
  struct Thread {
    std::vector<Fence> fences;
    std::uint64_t last_atomic = 0;   ///< the number of its last atomic access
    std::uint64_t acquired[2] = {};  ///< the last atomic access before a fence of device or of threadgroup memory
  };
  struct Hash {
    std::size_t operator()(FencedThread thread) const { return std::size_t{thread.group_start} << 10 ^ thread.thread; }
  };
  static std::size_t space(std::uint32_t flag) { return flag == abi::mem_threadgroup ? 1 : 0; }

  std::unordered_map<FencedThread, Thread, Hash> threads_;  ///< those that came to a fence or an atomic
  std::uint64_t atomics_ = 0;
};

}  // namespace assay::metal::emulator
