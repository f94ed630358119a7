// How each inexact value of a run was computed, in the order of computation.
//
// An entry is written for each operation whose result, or an operand of it, is rounded or not finite. A value without
// an entry is exact by definition: inputs, literals, and what is computed from them without an error.
#pragma once

#include <cstdint>

#include "metal/emulator/memory/zeroed_pages.h"
#include "metal/emulator/numerics/operation.h"
#include "metal/emulator/numerics/page_filler.h"

namespace assay::metal::emulator {

struct TapeEntry {
  double exact;               ///< from the operands' exact values, in double precision
  double value;               ///< what the shader has
  std::uint32_t operands[3];  ///< entries; of a value that is not finite: [0] is the number of its origin
  float slopes[3];            ///< d value / d operand
  float rounding;             ///< value - the exact result of the operands' values
  std::uint32_t site_and_precision;

  double error() const { return value - exact; }
  std::uint32_t site() const { return site_and_precision >> 2; }
  Precision precision() const { return static_cast<Precision>(site_and_precision & 3); }
};

template <class Entry>
class TapeOf {
 public:
  static constexpr std::uint32_t limit = 1U << 25;  ///< 1.5 GiB

  /// Not in huge pages: a virtual machine may be slow to find these.
  TapeOf() : entries_(limit), filler_(entries_.data(), limit * sizeof(Entry)) {}

  /// The number of an entry to be filled, which has zeros the first time; 0 if the tape is full.
  std::uint32_t add() {
    if (size_ == limit) return is_full_ = true, 0;
    if (size_ % announced == 0) filler_.note_use(size_ * sizeof(Entry));
    return size_++;
  }
  Entry& operator[](std::uint32_t n) { return entries_.data()[n]; }
  const Entry& operator[](std::uint32_t n) const { return entries_.data()[n]; }
  std::uint32_t size() const { return size_; }
  /// What is added then overwrites what was.
  void clear() { size_ = 1, is_full_ = false; }
  bool is_full() const { return is_full_; }

 private:
  static constexpr std::uint32_t announced = 1U << 16;  ///< 3 MiB

  ZeroedPages<Entry> entries_;
  PageFiller filler_;
  std::uint32_t size_ = 1;  ///< entry 0 stands for exact values
  bool is_full_ = false;
};

using Tape = TapeOf<TapeEntry>;

}  // namespace assay::metal::emulator
