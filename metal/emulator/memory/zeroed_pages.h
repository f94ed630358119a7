// Zeroed memory from the system, which occupies memory only where it has been touched.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <new>
#include <utility>

#include "metal/system/system.h"

namespace assay::metal::emulator {

/// Reserves a range of addresses. Throws std::bad_alloc.
inline void* reserve(std::size_t bytes, int protection) {
  void* const memory = mmap(nullptr, bytes, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  system::leave_out_of_dumps(memory, bytes);
  return memory;
}

/// Announces that all of the memory will be used: huge pages are cleared faster, and save TLB misses.
inline void expect_use(void* memory, std::size_t bytes) {
  constexpr std::size_t huge_page = std::size_t{1} << 21;
  if (bytes >= huge_page) system::advise_huge_pages(memory, bytes);
}

/// An array of `count` T whose bytes are all zero at first.
template <class T>
class ZeroedPages {
 public:
  ZeroedPages() = default;
  explicit ZeroedPages(std::size_t count)
      : bytes_(count * sizeof(T)), data_(static_cast<T*>(reserve(bytes_, PROT_READ | PROT_WRITE))) {}
  ZeroedPages(const ZeroedPages&) = delete;
  ZeroedPages& operator=(const ZeroedPages&) = delete;
  ZeroedPages(ZeroedPages&& other) noexcept
      : bytes_(std::exchange(other.bytes_, 0)), data_(std::exchange(other.data_, nullptr)) {}
  ZeroedPages& operator=(ZeroedPages&& other) noexcept {
    std::swap(bytes_, other.bytes_);
    std::swap(data_, other.data_);
    return *this;
  }
  ~ZeroedPages() {
    if (data_) munmap(data_, bytes_);
  }

  T* data() const { return data_; }

 private:
  std::size_t bytes_ = 0;
  T* data_ = nullptr;
};

}  // namespace assay::metal::emulator
