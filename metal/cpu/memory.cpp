#include "metal/cpu/memory.h"

#include <mutex>
#include <new>
#include <utility>

#include "metal/system/system.h"

namespace assay::metal::cpu {

namespace {

constexpr std::size_t huge_page = std::size_t{1} << 21, most_kept = std::size_t{1} << 26;

std::align_val_t alignment_of(std::size_t bytes) {
  return std::align_val_t{bytes >= huge_page ? huge_page : 64};
}

void* allocate(std::size_t bytes) {
  void* memory = ::operator new(bytes, alignment_of(bytes));
  if (bytes >= huge_page) system::advise_huge_pages(memory, bytes);
  return memory;
}

void release(void* memory, std::size_t bytes) {
  if (memory != nullptr) ::operator delete(memory, alignment_of(bytes));
}

struct Kept {
  std::mutex mutex;
  void* memory = nullptr;
  std::size_t bytes = 0;

  Kept() = default;
  ~Kept() { release(memory, bytes); }
  Kept(const Kept&) = delete;
  Kept& operator=(const Kept&) = delete;
};

Kept& kept() {
  static Kept the_one;
  return the_one;
}

}  // namespace

AlignedBytes::AlignedBytes(std::size_t bytes, AtEnd at_end) : bytes_(bytes), at_end_(at_end) {
  if (bytes == 0) return;
  if (at_end == AtEnd::keep) {
    const std::scoped_lock lock(kept().mutex);
    if (kept().bytes != bytes) release(std::exchange(kept().memory, nullptr), kept().bytes);
    memory_ = std::exchange(kept().memory, nullptr);
  }
  if (memory_ == nullptr) memory_ = allocate(bytes);
}

AlignedBytes& AlignedBytes::operator=(AlignedBytes&& other) noexcept {
  std::swap(memory_, other.memory_);
  std::swap(bytes_, other.bytes_);
  std::swap(at_end_, other.at_end_);
  return *this;
}

void AlignedBytes::give_back() noexcept {
  if (memory_ != nullptr && at_end_ == AtEnd::keep && bytes_ <= most_kept) {
    const std::scoped_lock lock(kept().mutex);
    std::swap(memory_, kept().memory);
    std::swap(bytes_, kept().bytes);
  }
  release(memory_, bytes_);
}

}  // namespace assay::metal::cpu
