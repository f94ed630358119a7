// Memory for one call: aligned, not initialized, in huge pages where the system gives them.
#pragma once

#include <cstddef>
#include <cstdint>

namespace assay::metal::cpu {

/// The fate of memory at the end of a call. `keep` holds it back for a later call that wants the same size, since
/// the system takes a few hundredths of the time of a call to clear 50 MiB. At most one piece is held back, of at most
/// 64 MiB; it is released when a call asks for another size.
enum class AtEnd { release, keep };

class AlignedBytes {
 public:
  explicit AlignedBytes(std::size_t bytes = 0, AtEnd at_end = AtEnd::release);
  ~AlignedBytes() { give_back(); }
  AlignedBytes(AlignedBytes&& other) noexcept { *this = static_cast<AlignedBytes&&>(other); }
  AlignedBytes& operator=(AlignedBytes&& other) noexcept;
  AlignedBytes(const AlignedBytes&) = delete;
  AlignedBytes& operator=(const AlignedBytes&) = delete;

  void* data() const { return memory_; }

 private:
  void give_back() noexcept;

  void* memory_ = nullptr;
  std::size_t bytes_ = 0;
  AtEnd at_end_ = AtEnd::release;
};

template <class Element>
class AlignedMemory {
 public:
  explicit AlignedMemory(std::int64_t count = 0, AtEnd at_end = AtEnd::release)
      : bytes_(static_cast<std::size_t>(count) * sizeof(Element), at_end) {}

  Element* data() const { return static_cast<Element*>(bytes_.data()); }

 private:
  AlignedBytes bytes_;
};

}  // namespace assay::metal::cpu
