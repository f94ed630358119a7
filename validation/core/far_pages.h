// Addresses of more bytes than there is memory, for arrays past 2^32 elements: all of them may be written, and few are
// read. Parts of the range have memory of their own; between them, all addresses lead to the same 2 MiB, which hold
// zeros until they are written.
#pragma once

#include <cstddef>
#include <optional>

namespace assay::validation {

/// The parts of an array with memory of their own: `count` of the same size, `stride` apart.
struct FarParts {
  std::size_t first = 0;  ///< where the first begins
  std::size_t size = 0;
  std::size_t stride = 0;
  std::size_t count = 1;

  std::size_t begin(std::size_t part) const { return first + part * stride; }
};

/// An array in far pages; its parts in bytes.
struct FarArray {
  std::size_t bytes = 0;
  FarParts own = {};
};

class FarPages {
 public:
  /// The pages before and behind the array may not be touched. The array is aligned to 64 bytes, and ends less than 64
  /// bytes before the page behind it. Throws std::system_error where there are no addresses left.
  explicit FarPages(const FarArray& array);
  FarPages(const FarPages&) = delete;
  FarPages& operator=(const FarPages&) = delete;
  ~FarPages();

  std::byte* data() const { return data_; }

 private:
  void share(std::byte* from, std::byte* to, int file);

  std::byte* range_ = nullptr;
  std::size_t reserved_ = 0;
  std::byte* data_ = nullptr;
};

/// The array in far pages of this process that begins at `data`, if there is one. A kernel in another process makes an
/// array of the same description, since this one is too large to copy.
std::optional<FarArray> far_array_at(const void* data);

}  // namespace assay::validation
