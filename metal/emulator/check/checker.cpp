#include "metal/emulator/check/checker.h"

#include <algorithm>

namespace assay::metal::emulator {

namespace {

constexpr std::uint32_t time_of_host = 1;

bool reads(abi::Access kind) {
  return kind == abi::Access::read || kind == abi::Access::atomic_read || kind == abi::Access::atomic_modify;
}

bool is_atomic(abi::Access kind) {
  return kind != abi::Access::read && kind != abi::Access::write;
}

bool writes(abi::Access kind) {
  return kind != abi::Access::read && kind != abi::Access::atomic_read;
}

}  // namespace

inline Access Checker::Request::at(std::uint32_t time, std::uint32_t thread, const void* pc, bool is_atomic) {
  return {time, static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(pc)), static_cast<std::uint16_t>(thread),
          is_atomic};
}

void Checker::begin_sequence() {
  clock_.begin_sequence();
  groups_.clear();
}

void Checker::begin_dispatch(DispatchInfo& dispatch) {
  dispatch_ = &dispatch;
  has_lost_thread_ = false;
  for (const BoundMemory& memory : dispatch.memory) allow(memory);
}

void Checker::end_dispatch() {
  for (Allocation* allocation : allowed_) allocation->allowed = {};
  allowed_.clear();
  dispatch_ = nullptr;
}

void Checker::add(BoundMemory memory) {
  allow(memory);
  dispatch_->memory.push_back(std::move(memory));
}

void Checker::allow(const BoundMemory& memory) {
  Allocation& allocation = *memory.allocation;
  Extent& extent = allocation.allowed;
  allocation.is_threadgroup_memory = memory.kind != BoundMemory::Kind::buffer;
  if (extent.length == 0 || memory.offset < extent.begin) extent = {memory.offset, allocation.length() - memory.offset};
  allowed_.push_back(&allocation);
}

void Checker::begin_group(std::uint64_t group) {
  clock_.begin_group();
  groups_.push_back({clock_.group_start(), dispatch_, group});
}

bool Checker::access(Allocation* allocation, std::uint32_t thread, const void* address, std::uint64_t bytes,
                     abi::Access kind, const void* pc) {
  const std::uint64_t offset =
      allocation ? static_cast<std::uint64_t>(static_cast<const std::byte*>(address) - allocation->begin()) : 0;
  const Extent allowed = allocation ? allocation->allowed : Extent{};
  // An offset before the begin wraps around to a large one.
  if (offset - allowed.begin >= allowed.length || bytes > allowed.length - (offset - allowed.begin)) {
    report_outside(thread, address, bytes, kind, pc);
    return !checks_.memcheck;
  }
  const SpaceClock& space = clock_.of(allocation->is_threadgroup_memory);
  Cell* const word = bytes == Shadow::word_bytes ? allocation->shadow.whole_word(offset) : nullptr;
  if (word && kind == abi::Access::read && is_plain_read(*word, *allocation, space, thread)) {
    keep_read(*word, space, Request::at(clock_.now(), thread, pc));
    return true;
  }
  if (word && kind == abi::Access::write && is_plain_write(*word, space, thread)) {
    word->set(Cell::write, Request::at(clock_.now(), thread, pc));
    return true;
  }
  judge({*allocation, space, thread, kind, pc, bytes, is_atomic(kind), false}, offset);
  return true;
}

/// Whether nothing is wrong with a read of the word that is not atomic.
inline bool Checker::is_plain_read(const Cell& cell, const Allocation& allocation, const SpaceClock& space,
                                   std::uint32_t thread) const {
  return cell.time[Cell::write] >= live_since(allocation) && !overlaps(space, cell, Cell::write, thread);
}

inline bool Checker::is_plain_write(const Cell& cell, const SpaceClock& space, std::uint32_t thread) const {
  return !overlaps(space, cell, Cell::write, thread) && !overlaps(space, cell, Cell::read, thread) &&
         !overlaps(space, cell, Cell::other_read, thread);
}

void Checker::judge(Request request, std::uint64_t offset) {
  request.allocation.shadow.for_each_cell(offset, request.bytes,
                                          [&](Cell& cell, std::uint64_t at, std::uint64_t width) {
                                            if (reads(request.kind)) read(request, cell, at, width);
                                            if (writes(request.kind)) write(request, cell, at);
                                          });
}

inline std::uint32_t Checker::live_since(const Allocation& allocation) const {
  return allocation.is_threadgroup_memory ? clock_.group_start() : time_of_host;
}

inline bool Checker::overlaps(const SpaceClock& space, const Cell& cell, Cell::Slot slot, std::uint32_t thread) const {
  return clock_.overlaps(space, cell.time[slot], cell.thread[slot] & ~std::uint32_t{Cell::atomic}, thread);
}

inline bool Checker::conflicts(const Request& request, const Cell& cell, Cell::Slot slot) const {
  const bool both_atomic = request.is_atomic && (cell.thread[slot] & Cell::atomic);
  return !both_atomic && overlaps(request.space, cell, slot, request.thread);
}

inline void Checker::read(Request& request, Cell& cell, std::uint64_t offset, std::uint64_t bytes) {
  if (cell.time[Cell::write] < live_since(request.allocation) && !was_written(request, cell, offset, bytes))
    report_unwritten(request, offset);
  if (conflicts(request, cell, Cell::write)) report_race(request, cell, Cell::write, offset);
  keep_read(cell, request.space, request.now(clock_));
}

inline void Checker::write(Request& request, Cell& cell, std::uint64_t offset) {
  for (const Cell::Slot slot : {Cell::write, Cell::read, Cell::other_read})
    if (conflicts(request, cell, slot)) report_race(request, cell, slot, offset);
  cell.set(Cell::write, request.now(clock_));
}

/// Two reads are enough for whatever writes later to overlap with one of them if it overlaps with any: by two threads,
/// if possible of two simdgroups. One of an earlier group is enough by itself, for that group writes no more.
inline void Checker::keep_read(Cell& cell, const SpaceClock& space, const Access& now) const {
  const auto thread_of = [&](Cell::Slot slot) { return cell.thread[slot] & ~std::uint32_t{Cell::atomic}; };
  const auto simdgroup_of = [&](Cell::Slot slot) { return thread_of(slot) / abi::lanes_per_simdgroup; };
  const std::uint32_t me = now.thread;
  // An own read of this group overlaps with nothing of its own thread, and is replaced like one that is over.
  if (!overlaps(space, cell, Cell::read, me)) return cell.set(Cell::read, now);
  if (cell.time[Cell::read] < clock_.group_start()) return;
  if (!overlaps(space, cell, Cell::other_read, me) || simdgroup_of(Cell::read) == simdgroup_of(Cell::other_read))
    cell.set(Cell::other_read, now);
}

/// The host's writes are looked up at the first read, and noted in the cell.
bool Checker::was_written(const Request& request, Cell& cell, std::uint64_t offset, std::uint64_t bytes) const {
  if (request.allocation.is_threadgroup_memory || !request.allocation.shadow.host_writes.cover(offset, offset + bytes))
    return false;
  cell.time[Cell::write] = time_of_host;
  return true;
}

}  // namespace assay::metal::emulator
