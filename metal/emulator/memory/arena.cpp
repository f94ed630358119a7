#include "metal/emulator/memory/arena.h"

#include <sys/mman.h>

#include <new>

#include "metal/device/no_addresses.h"
#include "metal/emulator/memory/zeroed_pages.h"
#include "metal/system/system.h"

namespace assay::metal::emulator {

namespace {

constexpr std::uint64_t page_bytes = std::uint64_t{1} << Arena::page_bits;

std::uint64_t pages_of(std::uint64_t length) {
  return (length + page_bytes - 1) / page_bytes + 1;
}

}  // namespace

Allocation::~Allocation() {
  arena_->release(*this);
}

std::shared_ptr<Arena> Arena::create() try {
  std::shared_ptr<Arena> arena(new Arena);
  arena->base_ = static_cast<std::byte*>(reserve(bytes, PROT_NONE));
  arena->owners_ = static_cast<Allocation**>(reserve(bytes / page_bytes * sizeof(Allocation*), PROT_READ | PROT_WRITE));
  return arena;
} catch (const std::bad_alloc&) {
  throw NoAddresses(
      "no addresses for the emulated device, which reserves 1 TiB of them and occupies few: lift the limit "
      "(ulimit -v), and limit its data instead (ulimit -d)");
}

Arena::~Arena() {
  if (base_) munmap(base_, bytes);
  if (owners_) munmap(static_cast<void*>(owners_), bytes / page_bytes * sizeof(Allocation*));
}

std::unique_ptr<Allocation> Arena::allocate(std::uint64_t length, std::uint64_t gap) {
  const std::lock_guard lock(mutex_);
  const std::uint64_t pages = pages_of(length), gap_pages = gap / page_bytes;
  std::byte* const slot = take_slot(gap_pages + pages);
  if (!slot) return nullptr;
  std::byte* const begin = slot + gap_pages * page_bytes;
  if (mprotect(begin, length, PROT_READ | PROT_WRITE) != 0) return nullptr;
  std::unique_ptr<Allocation> allocation(new Allocation(shared_from_this(), begin, length, gap_pages * page_bytes));
  const auto first = static_cast<std::uint64_t>(begin - base_) / page_bytes;
  for (std::uint64_t page = 0; page < pages; ++page) owners_[first + page] = allocation.get();
  return allocation;
}

/// Unmaps the slot's pages. They are zero when the slot is used again.
void Arena::release(const Allocation& allocation) {
  const std::lock_guard lock(mutex_);
  const std::uint64_t pages = pages_of(allocation.length());
  system::zero_pages(allocation.begin(), pages * page_bytes);
  mprotect(allocation.begin(), pages * page_bytes, PROT_NONE);
  const auto first = static_cast<std::uint64_t>(allocation.begin() - base_) / page_bytes;
  for (std::uint64_t page = 0; page < pages; ++page) owners_[first + page] = nullptr;
  free_slots_.emplace(allocation.gap_ / page_bytes + pages, allocation.begin() - allocation.gap_);
}

std::byte* Arena::take_slot(std::uint64_t pages) {
  if (const auto slot = free_slots_.find(pages); slot != free_slots_.end()) {
    std::byte* const begin = slot->second;
    free_slots_.erase(slot);
    return begin;
  }
  if (pages > bytes / page_bytes - used_pages_) return nullptr;
  std::byte* const begin = base_ + used_pages_ * page_bytes;
  used_pages_ += pages;
  return begin;
}

}  // namespace assay::metal::emulator
