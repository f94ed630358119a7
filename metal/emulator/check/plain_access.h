// The fast path of the checks, for accesses to aligned words that are not atomic and break no rule. It runs once for
// each access of a checked shader.
#pragma once

#include <bit>

#include "metal/emulator/check/clock.h"
#include "metal/emulator/memory/arena.h"

namespace assay::metal::emulator {

/// Keeps two reads of different threads, if possible of different simdgroups. A later write that overlaps with any read
/// then overlaps with one of these. A read by an earlier group is enough by itself, because that group writes no more.
[[gnu::always_inline]] inline void keep_read(const SpaceClock& clock, Cell cell, Trace now) {
  // A read that this access is ordered after, or that is the thread's own, is replaced.
  if (!clock.overlaps(cell.read, now.thread())) return cell.read.become(now);
  if (cell.read.time() < clock.group_start) return;
  const Trace other = cell.other_read;
  if (cell.read.is_marked() && cell.read.simdgroup() != other.simdgroup() && clock.overlaps(other, now.thread()))
    return;
  cell.other_read = now;
  cell.read.mark();
}

/// Records an access that breaks no rule. Returns false if only Checker::judge() can tell.
[[gnu::always_inline]] inline bool note_if_plain(const AllowedWords& words, std::uint32_t thread, const void* address,
                                                 std::uint64_t bytes, abi::Access kind, const void* pc) {
  // Rotating moves the bits of a misaligned address to the front, which makes the index too large.
  const std::uint64_t index =
      std::rotr(reinterpret_cast<std::uintptr_t>(address) - reinterpret_cast<std::uintptr_t>(words.begin), 2);
  if (bytes != Shadow::word_bytes || index >= words.count) return false;
  const SpaceClock& clock = *words.clock;
  const Cell cell = words.cells[index];
  const Trace written = cell.write, now(clock.now, thread, pc, false);
  if (written.is_marked() || clock.overlaps(written, thread)) return false;
  if (kind == abi::Access::read) {
    if (written.time() < clock.valid_from && index >= words.written) return false;
    keep_read(clock, cell, now);
    return true;
  }
  if (kind != abi::Access::write || clock.overlaps(cell.read, thread)) return false;
  if (cell.read.is_marked() && clock.overlaps(cell.other_read, thread)) return false;
  cell.write = now;
  return true;
}

}  // namespace assay::metal::emulator
