// What the checks remember of an allocation: for each byte its last write and two reads since, and what the host wrote.
//
// Memory is remembered by words of four bytes up to the first smaller access of a word, from then on by bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>

#include "metal/emulator/shader_abi.h"
#include "metal/emulator/simt/zeroed_pages.h"

namespace assay::metal::emulator {

/// Who accessed memory, when, and from which instruction, in 64 bits. All zero: nobody ever did.
class Trace {
 public:
  Trace() = default;
  Trace(std::uint32_t time, std::uint32_t thread, const void* pc, bool is_atomic)
      : bits_(std::uint64_t{time} << 32 | std::uint64_t{thread} << 22 | (is_atomic ? atomic_bit : 0) |
              (reinterpret_cast<std::uintptr_t>(pc) & (mark_bit - 1))) {}

  std::uint32_t time() const { return static_cast<std::uint32_t>(bits_ >> 32); }
  std::uint32_t thread() const { return static_cast<std::uint32_t>(bits_ >> 22 & 1023); }
  std::uint32_t simdgroup() const { return thread() / abi::lanes_per_simdgroup; }
  bool is_atomic() const { return (bits_ & atomic_bit) != 0; }

  /// The first address from `begin` on that ends as the instruction's did: there is room for its last bits only.
  const void* pc(const void* begin) const {
    const auto first = reinterpret_cast<std::uintptr_t>(begin);
    return static_cast<const std::byte*>(begin) + ((bits_ - first) & (mark_bit - 1));
  }

  /// A bit for whoever keeps the trace.
  bool is_marked() const { return (bits_ & mark_bit) != 0; }
  void mark() { bits_ |= mark_bit; }
  /// Takes the place of this, with its mark.
  void become(Trace other) { bits_ = other.bits_ | (bits_ & mark_bit); }

 private:
  static constexpr std::uint64_t atomic_bit = 1U << 21, mark_bit = 1U << 20;
  std::uint64_t bits_ = 0;
};

/// The last write and a read of the same bytes. Four of them fill a cache line: most accesses look no further.
struct Cell {
  Trace write;  ///< marked, of a word: its bytes are remembered each for itself
  Trace read;   ///< marked: there is another read, elsewhere
};

/// Ranges of bytes that the host has written.
class HostWrites {
 public:
  void add(std::uint64_t begin, std::uint64_t end);
  bool cover(std::uint64_t begin, std::uint64_t end) const;

 private:
  mutable std::mutex mutex_;
  std::map<std::uint64_t, std::uint64_t> ranges_;  ///< begin and end, apart from each other
};

class Shadow {
 public:
  static constexpr std::uint64_t word_bytes = 4;

  explicit Shadow(std::uint64_t length) : words_((length + word_bytes - 1) / word_bytes) {}

  /// To be called before what follows.
  void prepare();

  /// Calls visit(cell, offset, bytes) for the cells of [offset, offset + bytes).
  template <class Visit>
  void for_each_cell(std::uint64_t offset, std::uint64_t bytes, const Visit& visit) {
    const std::uint64_t end = offset + bytes;
    while (offset < end) {
      const std::uint64_t index = offset / word_bytes, word_end = (index + 1) * word_bytes;
      Cell& word = cells_.data()[index];
      if (!word.write.is_marked() && offset % word_bytes == 0 && word_end <= end) {
        visit(word, offset, word_bytes);
      } else {
        if (!word.write.is_marked()) split(index);
        for (std::uint64_t byte = offset; byte < word_end && byte < end; ++byte)
          visit(cells_.data()[words_ + byte], byte, 1);
      }
      offset = word_end;
    }
  }

  /// The cell of the word at 0, which those of all others follow.
  Cell* words() { return cells_.data(); }

  /// The second read of a cell whose read is marked.
  Trace& other_read(const Cell& cell) { return other_reads_.data()[&cell - cells_.data()]; }

  /// Forgets when and by whom, not whether, bytes were written: as if all had been done by the host.
  void forget_times();

  HostWrites host_writes;

 private:
  void split(std::uint64_t word);

  std::uint64_t words_;
  ZeroedPages<Cell> cells_;  ///< of the words, then of their bytes
  ZeroedPages<Trace> other_reads_;
  bool is_split_ = false;  ///< any word
};

}  // namespace assay::metal::emulator
