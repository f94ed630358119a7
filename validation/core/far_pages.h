// Addresses of more bytes than there is memory, for arrays past 2^32 elements: all of them may be written, and few are
// read. Parts of the range have memory of their own; between them, all addresses lead to the same 2 MiB.
#pragma once

#include <atomic>
#include <cstddef>
#include <span>
#include <thread>

namespace assay::validation {

/// A part of an array, in elements.
struct FarPart {
  std::size_t first = 0;
  std::size_t count = 0;
};

class FarPages {
 public:
  /// `own`: the parts with memory of their own, ascending, in bytes. Throws std::system_error or std::bad_alloc.
  FarPages(std::size_t bytes, std::span<const FarPart> own);
  FarPages(const FarPages&) = delete;
  FarPages& operator=(const FarPages&) = delete;
  ~FarPages();

  std::byte* data() const { return data_; }

 private:
  std::size_t bytes_;
  std::byte* data_;
  std::atomic<bool> done_ = false;
  std::thread forgetful_;
};

/// An array of `count` elements, of which `own` are NaN until they are written and the others are anything.
class FarFloats {
 public:
  FarFloats(std::size_t count, std::span<const FarPart> own);

  std::span<float> view() const { return {reinterpret_cast<float*>(pages_.data()), count_}; }

 private:
  std::size_t count_;
  FarPages pages_;
};

}  // namespace assay::validation
