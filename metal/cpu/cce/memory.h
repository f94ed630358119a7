// Memory for one call: aligned to pages, not initialized, in huge pages where the system gives them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace assay::metal::cpu {

template <class Element>
class CceMemory {
 public:
  explicit CceMemory(std::int64_t count = 0) : data_(allocate(static_cast<std::size_t>(count) * sizeof(Element))) {}

  Element* data() const { return static_cast<Element*>(data_.get()); }

 private:
  static constexpr std::align_val_t alignment{std::size_t{1} << 21};
  struct Free {
    void operator()(void* memory) const { ::operator delete(memory, alignment); }
  };

  static void* allocate(std::size_t bytes) {
    if (bytes == 0) return nullptr;
    void* memory = ::operator new(bytes, alignment);
#if defined(__linux__)
    if (bytes >= static_cast<std::size_t>(alignment)) madvise(memory, bytes, MADV_HUGEPAGE);
#endif
    return memory;
  }

  std::unique_ptr<void, Free> data_;
};

}  // namespace assay::metal::cpu
