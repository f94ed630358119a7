// The record of the checks for one allocation: of each byte its last write and two reads since, and the host's writes.
//
// Four bytes share one cell until the first access that covers only some of them. From then on each byte has its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>

#include "metal/emulator/abi/shader_abi.h"
#include "metal/emulator/memory/zeroed_pages.h"

namespace assay::metal::emulator {

/// A past access, in 64 bits: by which thread, when, and from which instruction. All zero: there was no access.
class Trace {
 public:
  static constexpr std::uint32_t host_time = 1;

  Trace() = default;
  Trace(std::uint32_t time, std::uint32_t thread, const void* pc, bool is_atomic)
      : bits_(std::uint64_t{time} << 32 | std::uint64_t{thread} << 22 | (is_atomic ? atomic_bit : 0) |
              (reinterpret_cast<std::uintptr_t>(pc) & (mark_bit - 1))) {}

  std::uint32_t time() const { return static_cast<std::uint32_t>(bits_ >> 32); }
  std::uint32_t thread() const { return static_cast<std::uint32_t>(bits_ >> 22 & 1023); }
  std::uint32_t simdgroup() const { return thread() / abi::lanes_per_simdgroup; }
  bool is_atomic() const { return (bits_ & atomic_bit) != 0; }

  static Trace of_host() { return {host_time, 0, nullptr, false}; }

  /// The instruction. A trace has room for the last 20 bits of its address only; the result is the first address from
  /// `begin` on that ends in these bits.
  const void* pc(const void* begin) const {
    const auto first = reinterpret_cast<std::uintptr_t>(begin);
    return static_cast<const std::byte*>(begin) + ((bits_ - first) & (mark_bit - 1));
  }

  /// A bit that the owner of the trace may use.
  bool is_marked() const { return (bits_ & mark_bit) != 0; }
  void mark() { bits_ |= mark_bit; }
  /// Assigns all of `other` but its mark.
  void become(Trace other) { bits_ = other.bits_ | (bits_ & mark_bit); }

 private:
  static constexpr std::uint64_t atomic_bit = 1U << 21, mark_bit = 1U << 20;
  std::uint64_t bits_ = 0;
};

/// The record of the same bytes.
struct Cell {
  Trace& write;       ///< of a word: marked if its bytes have cells of their own
  Trace& read;        ///< marked if there is a second read
  Trace& other_read;  ///< the second read
};

/// An array of cells. Each kind of trace is an array of its own: memory that a kernel only reads, or only writes, then
/// occupies one of them, and the others stay pages of zeros.
struct Cells {
  Trace* writes = nullptr;
  Trace* reads = nullptr;
  Trace* other_reads = nullptr;

  [[gnu::always_inline]] Cell operator[](std::uint64_t index) const {
    return {writes[index], reads[index], other_reads[index]};
  }
  Cells operator+(std::uint64_t count) const { return {writes + count, reads + count, other_reads + count}; }
};

/// The bytes that were written before anything that the cells know of: by the host, or in a Trial.
class HostWrites {
 public:
  void add(std::uint64_t begin, std::uint64_t end);
  /// The end of the written bytes from `begin` on; `begin` if that byte was not written.
  std::uint64_t end_from(std::uint64_t begin) const;
  /// The first written byte from `begin` on; `limit` if there is none before.
  std::uint64_t next_from(std::uint64_t begin, std::uint64_t limit) const;

 private:
  mutable std::mutex mutex_;
  std::map<std::uint64_t, std::uint64_t> ranges_;  ///< begin and end of each; no two touch
};

class Shadow {
 public:
  static constexpr std::uint64_t word_bytes = 4;

  explicit Shadow(std::uint64_t length) : words_((length + word_bytes - 1) / word_bytes) {}

  /// Must be called before the functions below.
  void prepare(bool is_sparse = false);

  /// Calls visit(cell, offset, bytes) for the cells of [offset, offset + bytes).
  template <class Visit>
  void for_each_cell(std::uint64_t offset, std::uint64_t bytes, const Visit& visit) {
    const std::uint64_t end = offset + bytes;
    while (offset < end) {
      const std::uint64_t index = offset / word_bytes, word_end = (index + 1) * word_bytes;
      const Cell word = cells_[index];
      if (!word.write.is_marked() && offset % word_bytes == 0 && word_end <= end) {
        visit(word, offset, word_bytes);
      } else {
        if (!word.write.is_marked()) split(index);
        for (std::uint64_t byte = offset; byte < word_end && byte < end; ++byte) visit(cells_[words_ + byte], byte, 1);
      }
      offset = word_end;
    }
  }

  /// The cells of the words, and of the bytes.
  Cells words() const { return cells_; }
  Cells bytes() const { return cells_ + words_; }

  /// The cell of a byte, which may be that of its word.
  Cell cell_of(std::uint64_t byte) const {
    const Cell word = cells_[byte / word_bytes];
    return word.write.is_marked() ? cells_[words_ + byte] : word;
  }

  /// The end of the written bytes from `begin` on, as far as `limit`; `begin` if that byte was not written.
  std::uint64_t written_until(std::uint64_t begin, std::uint64_t limit) const;

  /// The first written byte from `begin` on; `limit` if there is none before.
  std::uint64_t unwritten_until(std::uint64_t begin, std::uint64_t limit) const;

  /// Forgets all reads, and attributes all writes to the host: for a clock that begins anew.
  void forget_times();

  HostWrites host_writes;

 private:
  void split(std::uint64_t word);

  std::uint64_t words_;
  ZeroedPages<Trace> writes_, reads_, other_reads_;
  Cells cells_;            ///< of the words, then of the bytes
  bool is_split_ = false;  ///< whether any word has cells for its bytes
};

}  // namespace assay::metal::emulator
