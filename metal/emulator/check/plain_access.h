// The fast path of the checks, for accesses that are not atomic and break no rule. It runs once for each access of a
// checked shader.
#pragma once

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

/// Whether the access is a read that breaks no rule and needs no record.
[[gnu::always_inline]] inline bool is_unrecorded(const AllowedWords& words, const void* address, std::uint64_t bytes,
                                                 abi::Access kind) {
  const auto offset = reinterpret_cast<std::uintptr_t>(address) - reinterpret_cast<std::uintptr_t>(words.begin);
  return kind == abi::Access::read && offset < words.unrecorded_bytes && bytes <= words.unrecorded_bytes - offset;
}

/// Records an access that breaks no rule. `was_written` is whether the memory was written before the dispatch. Returns
/// false if only Checker::judge() can tell.
[[gnu::always_inline]] inline bool note_in_cell(const SpaceClock& clock, Cell cell, Trace now, abi::Access kind,
                                                bool was_written) {
  const std::uint32_t thread = now.thread();
  if (clock.overlaps(cell.write, thread)) return false;
  if (kind == abi::Access::read) {
    if (cell.write.time() < clock.valid_from && !was_written) return false;
    keep_read(clock, cell, now);
    return true;
  }
  if (kind != abi::Access::write || clock.overlaps(cell.read, thread)) return false;
  if (cell.read.is_marked() && clock.overlaps(cell.other_read, thread)) return false;
  cell.write = now;
  return true;
}

/// The same for the bytes [offset, offset + bytes), which are in one word and have cells of their own.
inline bool note_in_bytes(const AllowedWords& words, std::uint64_t offset, std::uint64_t bytes, Trace now,
                          abi::Access kind) {
  const bool was_written = offset / Shadow::word_bytes < words.written;
  for (std::uint64_t byte = offset; byte < offset + bytes; ++byte)
    if (!note_in_cell(*words.clock, words.byte_cells[byte], now, kind, was_written)) return false;
  return true;
}

/// The same for an access of any size. One that is recorded in part and then judged leaves the record as if it had only
/// been judged: a thread's own access is no obstacle to it.
[[gnu::always_inline]] inline bool note_if_plain(const AllowedWords& words, std::uint32_t thread, const void* address,
                                                 std::uint64_t bytes, abi::Access kind, const void* pc) {
  const auto offset = reinterpret_cast<std::uintptr_t>(address) - reinterpret_cast<std::uintptr_t>(words.begin);
  const std::uint64_t index = offset / Shadow::word_bytes, shift = offset % Shadow::word_bytes;
  if (index >= words.count || words.is_read_only) return false;
  const Trace now(words.clock->now, thread, pc, false);
  if (bytes < Shadow::word_bytes)
    return shift + bytes <= Shadow::word_bytes && words.cells.writes[index].is_marked() &&
           note_in_bytes(words, offset, bytes, now, kind);
  if ((shift | bytes % Shadow::word_bytes) != 0 || bytes / Shadow::word_bytes > words.count - index) return false;
  for (std::uint64_t word = index; word < index + bytes / Shadow::word_bytes; ++word) {
    const Cell cell = words.cells[word];
    const bool is_plain = cell.write.is_marked()
                              ? note_in_bytes(words, word * Shadow::word_bytes, Shadow::word_bytes, now, kind)
                              : note_in_cell(*words.clock, cell, now, kind, word < words.written);
    if (!is_plain) return false;
  }
  return true;
}

}  // namespace assay::metal::emulator
