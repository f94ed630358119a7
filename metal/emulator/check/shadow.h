// What the checks remember of an allocation: for each byte its last write and two reads since, and what the host wrote.
//
// Memory is remembered by words of four bytes up to the first smaller access of a word, from then on by bytes.
// Times are those of check/clock.h: 0 is never, 1 is the host's.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>

#include "metal/emulator/simt/zeroed_pages.h"

namespace assay::metal::emulator {

/// Who accessed memory, when, and from which instruction: the lower half of its address.
struct Access {
  std::uint32_t time = 0;
  std::uint32_t pc = 0;
  std::uint16_t thread = 0;
  bool is_atomic = false;
};

/// The last write and two reads of the same bytes, in the half of a cache line.
struct alignas(32) Cell {
  static constexpr std::uint16_t atomic = 1U << 15;
  enum Slot : std::size_t { write, read, other_read };

  std::array<std::uint32_t, 3> time, pc;
  std::array<std::uint16_t, 3> thread;  ///< with `atomic`
  std::uint16_t is_split;               ///< of a word: its bytes are remembered each for itself

  void set(Slot slot, const Access& access) {
    time[slot] = access.time;
    pc[slot] = access.pc;
    thread[slot] = static_cast<std::uint16_t>(access.thread | (access.is_atomic ? atomic : 0U));
  }
  Access get(Slot slot) const {
    return {time[slot], pc[slot], static_cast<std::uint16_t>(thread[slot] & ~atomic), (thread[slot] & atomic) != 0};
  }
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

  explicit Shadow(std::uint64_t length) : length_(length) {}

  /// Calls visit(cell, offset, bytes) for the cells of [offset, offset + bytes).
  template <class Visit>
  void for_each_cell(std::uint64_t offset, std::uint64_t bytes, const Visit& visit) {
    if (!words_.data()) words_ = ZeroedPages<Cell>((length_ + word_bytes - 1) / word_bytes);
    const std::uint64_t end = offset + bytes;
    while (offset < end) {
      const std::uint64_t index = offset / word_bytes, word_end = (index + 1) * word_bytes;
      Cell& word = words_.data()[index];
      if (!word.is_split && offset % word_bytes == 0 && word_end <= end) {
        visit(word, offset, word_bytes);
      } else {
        if (!word.is_split) split(word, index);
        for (std::uint64_t byte = offset; byte < word_end && byte < end; ++byte) visit(bytes_.data()[byte], byte, 1);
      }
      offset = word_end;
    }
  }

  /// The cell of the word at `offset` where it is remembered as a whole, else null.
  Cell* whole_word(std::uint64_t offset) const {
    if (!words_.data() || offset % word_bytes != 0) return nullptr;
    Cell& word = words_.data()[offset / word_bytes];
    return word.is_split ? nullptr : &word;
  }

  HostWrites host_writes;

 private:
  void split(Cell& word, std::uint64_t index);

  std::uint64_t length_;
  ZeroedPages<Cell> words_, bytes_;
};

}  // namespace assay::metal::emulator
