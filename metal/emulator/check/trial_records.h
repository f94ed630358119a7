// The accesses of a Trial's OS threads, from the records of their checkers: whether two threads accessed the same byte,
// at least one of them writing, and otherwise the bytes written.
#pragma once

#include <cstdint>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "metal/emulator/memory/arena.h"

namespace assay::metal::emulator {

class TrialRecords {
 public:
  /// The accesses of one OS thread: those of its record since a time.
  struct Record {
    std::size_t number = 0;
    std::uint32_t since = 0;
  };
  TrialRecords(Allocation& allocation, std::span<const Record> records);

  static constexpr std::uint64_t words_at_once = std::uint64_t{1} << 16;

  /// The parts of the allocation that look_at() takes.
  std::uint64_t parts() const;

  /// Collects what was written in one part. Returns false if two OS threads conflict. May be called on several OS
  /// threads at the same time.
  bool look_at(std::uint64_t part);

  /// After all parts: adds what was written to the allocation's own record, as written before all later accesses.
  void keep() const;

 private:
  struct Use {
    bool is_written = false, conflicts = false, has_split = false;
  };
  struct Accesses {
    const Shadow* shadow;
    Cells words;
    std::uint32_t since;
  };
  std::uint64_t written_by_one(std::uint64_t begin, std::uint64_t end) const;
  template <class CellOf>
  Use use_of(const CellOf& cell_of) const;

  Allocation& allocation_;
  std::vector<Accesses> records_;
  std::mutex mutex_;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> written_;  ///< ranges of bytes
};

}  // namespace assay::metal::emulator
