// The arrays of a request in the worker's memory, and the limit on what a plug-in may take beside them.
#pragma once

#include <sys/resource.h>

#include <cstddef>
#include <deque>
#include <vector>

#include "validation/core/far_pages.h"
#include "validation/transport/library/protocol.h"

namespace assay::validation::transport {

/// The arrays of a request, mapped into this process.
class Arrays {
 public:
  /// Throws std::system_error if the system has no memory for arrays in far pages.
  explicit Arrays(Request& request);
  Arrays(const Arrays&) = delete;
  Arrays& operator=(const Arrays&) = delete;
  ~Arrays();

  /// The arrays that a kernel reads, or those that it writes.
  std::vector<assay_array> described(bool writable) const;

  /// Copies the parts of outputs in far pages to the shared memory.
  void leave() const;

  const std::byte* memory() const { return memory_; }
  bool are_far() const { return !far_.empty(); }

 private:
  /// Calls use(place in the shared memory, place in the array, bytes) for each part of an array in far pages.
  template <class Use>
  void for_each_part(const Slot& slot, const Use& use) const {
    const FarParts& own = slot.far.own;
    for (std::size_t i = 0; i < own.count; ++i) use(memory_ + slot.begin + i * own.size, own.begin(i), own.size);
  }

  Request& request_;
  std::size_t size_;
  std::byte* memory_ = nullptr;
  std::deque<FarPages> far_;  ///< of the slots that have them, in their order
};

/// Leaves little memory beside arrays past 2^32 elements, so that a plug-in which copies them fails, not the machine.
class MemoryLimit {
 public:
  explicit MemoryLimit(bool far);
  MemoryLimit(const MemoryLimit&) = delete;
  MemoryLimit& operator=(const MemoryLimit&) = delete;
  ~MemoryLimit();

 private:
  rlimit former_{};
  bool is_set_ = false;
};

}  // namespace assay::validation::transport
