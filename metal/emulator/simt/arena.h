// The memory of an emulated device: one reserved range of addresses, in which every allocation stands alone.
//
// Each allocation begins a page of 64 KiB and is followed by at least one that is not mapped, so that an address tells
// at once which allocation it belongs to, and a small step outside of one never reaches another.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <new>

#include "metal/emulator/check/shadow.h"

namespace assay::metal::emulator {

class Arena;
struct SpaceClock;

/// What the checks ask of an allocation first. Nothing is allowed where `end` is 0.
struct AllowedWords {
  const std::byte* begin = nullptr;
  std::uint64_t end = 0;  ///< the number of whole words from `begin` on
  Cell* cells = nullptr;  ///< of the word at `begin`, and of those after it
  const SpaceClock* clock = nullptr;
};

/// What the checks know an allocation as. Offsets in bytes from its begin.
struct Extent {
  std::uint64_t begin = 0, length = 0;  ///< what a kernel may touch; nothing where nothing is bound

  /// An offset before the begin wraps around to a large one.
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

  // The state of the checks.
  Extent allowed;
  bool is_threadgroup_memory = false;
  AllowedWords words;
  Shadow shadow;

 private:
  friend class Arena;
  Allocation(std::shared_ptr<Arena> arena, std::byte* begin, std::uint64_t length)
      : shadow(length), arena_(std::move(arena)), begin_(begin), length_(length) {}

  std::shared_ptr<Arena> arena_;
  std::byte* begin_;
  std::uint64_t length_;
};

class Arena : public std::enable_shared_from_this<Arena> {
 public:
  static constexpr std::uint64_t bytes = std::uint64_t{1} << 38, page_bits = 16;

  /// Throws std::bad_alloc where the system does not give the addresses.
  static std::shared_ptr<Arena> create();
  ~Arena();
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  /// Zeroed memory; null where there is none left.
  std::unique_ptr<Allocation> allocate(std::uint64_t length);

  /// Calls visit(allocation) for all that there are.
  template <class Visit>
  void for_each(const Visit& visit) {
    const std::lock_guard lock(mutex_);
    const Allocation* before = nullptr;
    for (std::uint64_t page = 0; page < used_pages_; ++page)
      if (Allocation* const here = owners_[page]; here && here != before) visit(*here), before = here;
  }

  /// The allocation on whose pages the address is, or null.
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
  std::multimap<std::uint64_t, std::byte*> free_slots_;  ///< by pages
};

}  // namespace assay::metal::emulator
