// The short way of most accesses through the checks: aligned words, not atomic, nothing wrong with them. It runs once
// for each access of a checked shader.
#pragma once

#include <bit>

#include "metal/emulator/check/clock.h"
#include "metal/emulator/simt/arena.h"

namespace assay::metal::emulator {

/// Two reads are enough for whatever writes later to overlap with one of them if it overlaps with any: by two threads,
/// if possible of two simdgroups. One of an earlier group is enough by itself, for that group writes no more.
[[gnu::always_inline]] inline void keep_read(Allocation& allocation, Cell& cell, Trace now) {
  const SpaceClock& clock = *allocation.words.clock;
  // An own read of this group overlaps with nothing of its own thread, and is replaced like one that is over.
  if (!clock.overlaps(cell.read, now.thread())) return cell.read.become(now);
  if (cell.read.time() < clock.start) return;
  Trace& other = allocation.shadow.other_read(cell);
  if (cell.read.is_marked() && cell.read.simdgroup() != other.simdgroup() && clock.overlaps(other, now.thread()))
    return;
  other = now;
  cell.read.mark();
}

/// Notes an access with which nothing is wrong. False where it takes Checker::judge() to tell.
[[gnu::always_inline]] inline bool note_if_plain(Allocation& allocation, std::uint32_t thread, const void* address,
                                                 std::uint64_t bytes, abi::Access kind, const void* pc) {
  const AllowedWords& words = allocation.words;
  // The bits of an address between two words come first, and make the index too large.
  const std::uint64_t index =
      std::rotr(reinterpret_cast<std::uintptr_t>(address) - reinterpret_cast<std::uintptr_t>(words.begin), 2);
  if (bytes != Shadow::word_bytes || index >= words.end) return false;
  const SpaceClock& clock = *words.clock;
  Cell& cell = words.cells[index];
  const Trace written = cell.write, now(clock.now, thread, pc, false);
  if (written.is_marked() || clock.overlaps(written, thread)) return false;
  if (kind == abi::Access::read) {
    if (written.time() < clock.live) return false;
    keep_read(allocation, cell, now);
    return true;
  }
  if (kind != abi::Access::write || clock.overlaps(cell.read, thread)) return false;
  if (cell.read.is_marked() && clock.overlaps(allocation.shadow.other_read(cell), thread)) return false;
  cell.write = now;
  return true;
}

}  // namespace assay::metal::emulator
