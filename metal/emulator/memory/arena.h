// The memory of an emulated device: one reserved range of addresses.
//
// Each allocation begins on a page of 64 KiB and is followed by at least one page that is not mapped. So an address
// tells at once which allocation it belongs to, and an access that is slightly out of bounds never reaches another
// allocation.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <new>

#include "metal/emulator/abi/shader_abi.h"
#include "metal/emulator/memory/shadow.h"

namespace assay::metal::emulator {

class Arena;
struct SpaceClock;

/// The whole words of an allocation that a kernel may access, for the fast path of the checks: plain_access.h.
struct AllowedWords {
  const std::byte* begin = nullptr;
  std::uint64_t count = 0;
  std::uint64_t written = 0;           ///< the first so many were written before the dispatch
  std::uint64_t unrecorded_bytes = 0;  ///< reads of the first so many bytes break no rule and need no record
  bool is_read_only = false;           ///< a write ends the trial
  Cells cells, byte_cells;             ///< [count] and [count * 4], of `shadow`
  Shadow* shadow = nullptr;
  const SpaceClock* clock = nullptr;
};

/// A part of an allocation, in bytes from its begin.
struct Extent {
  std::uint64_t begin = 0, length = 0;

  /// An offset before `begin` wraps around to a large number.
  bool covers(std::uint64_t offset, std::uint64_t bytes) const {
    return offset - begin < length && bytes <= length - (offset - begin);
  }
};

class Allocation {
 public:
  ~Allocation();
  Allocation(const Allocation&) = delete;
  Allocation& operator=(const Allocation&) = delete;

  std::byte* begin() const { return begin_; }
  std::uint64_t length() const { return length_; }

  /// Fills it with bytes that are NaN as any floating-point type: memory that nobody has written must not look like
  /// values.
  void poison() { poison(0, length_); }
  void poison(std::uint64_t offset, std::uint64_t bytes) { std::memset(begin_ + offset, 0xFF, bytes); }
  bool is_poison() const {
    return length_ == 0 || (begin_[0] == std::byte{0xFF} && std::memcmp(begin_, begin_ + 1, length_ - 1) == 0);
  }

  // The state of the checks.
  Extent allowed;                            ///< what the dispatch's kernel may access; empty if it is not bound
  abi::MemoryFlags space = abi::mem_device;  ///< which barriers order accesses of it
  bool is_sparse = false;                    ///< only a small part of it will be touched
  bool is_absent = false;  ///< stands for an argument that is not there: reads give 0, writes are out of bounds
  /// The device's record of accesses, and those of OS threads that try a dispatch at the same time: Trial.
  static constexpr std::size_t max_records = 17;
  std::array<AllowedWords, max_records> words;  ///< by record
  Shadow shadow;                                ///< of record 0
  std::array<std::unique_ptr<Shadow>, max_records> trial_shadows;

 private:
  friend class Arena;
  Allocation(std::shared_ptr<Arena> arena, std::byte* begin, std::uint64_t length, std::uint64_t gap)
      : shadow(length), arena_(std::move(arena)), begin_(begin), length_(length), gap_(gap) {}

  std::shared_ptr<Arena> arena_;
  std::byte* begin_;
  std::uint64_t length_, gap_;
};

class Arena : public std::enable_shared_from_this<Arena> {
 public:
  static constexpr std::uint64_t bytes = std::uint64_t{1} << 40, page_bits = 16;

  /// Throws std::bad_alloc if the system cannot reserve the addresses.
  static std::shared_ptr<Arena> create();
  ~Arena();
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  /// Zeroed memory; null if there is none left. Nothing else is in the `gap` bytes before it.
  std::unique_ptr<Allocation> allocate(std::uint64_t length, std::uint64_t gap = 0);

  /// Calls visit(allocation) for every allocation.
  template <class Visit>
  void for_each(const Visit& visit) {
    const std::lock_guard lock(mutex_);
    const Allocation* before = nullptr;
    for (std::uint64_t page = 0; page < used_pages_; ++page)
      if (Allocation* const here = owners_[page]; here && here != before) visit(*here), before = here;
  }

  /// The allocation to whose pages the address belongs, or null.
  Allocation* find(const void* address) const {
    const auto offset = reinterpret_cast<std::uintptr_t>(address) - reinterpret_cast<std::uintptr_t>(base_);
    return offset < bytes ? owners_[offset >> page_bits] : nullptr;
  }

 private:
  friend class Allocation;
  Arena() = default;
  void release(const Allocation& allocation);
  std::byte* take_slot(std::uint64_t pages);

  std::byte* base_ = nullptr;
  Allocation** owners_ = nullptr;  ///< [bytes >> page_bits]
  std::mutex mutex_;
  std::uint64_t used_pages_ = 0;
  std::multimap<std::uint64_t, std::byte*> free_slots_;  ///< by their number of pages
};

}  // namespace assay::metal::emulator
