#include "metal/emulator/check/checker.h"

#include <algorithm>

namespace assay::metal::emulator {

namespace {

constexpr std::uint32_t time_of_host = 1;

bool reads(abi::Access kind) {
  return kind == abi::Access::read || kind == abi::Access::atomic_read || kind == abi::Access::atomic_modify;
}

bool writes(abi::Access kind) {
  return kind != abi::Access::read && kind != abi::Access::atomic_read;
}

}  // namespace

Access Checker::Request::now(std::uint32_t time) const {
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

bool Checker::access(std::uint32_t thread, const void* address, std::uint64_t bytes, abi::Access kind, const void* pc) {
  Allocation* const allocation = arena_.find(address);
  const std::uint64_t offset =
      allocation ? static_cast<std::uint64_t>(static_cast<const std::byte*>(address) - allocation->begin()) : 0;
  const Extent allowed = allocation ? allocation->allowed : Extent{};
  // An offset before the begin wraps around to a large one.
  if (offset - allowed.begin >= allowed.length || bytes > allowed.length - (offset - allowed.begin)) {
    report_outside(thread, address, bytes, kind, pc);
    return !checks_.memcheck;
  }
  const bool is_atomic = kind != abi::Access::read && kind != abi::Access::write;
  Request request{*allocation, clock_.of(allocation->is_threadgroup_memory), thread, kind, pc, bytes, is_atomic, false};
  allocation->shadow.for_each_cell(offset, bytes, [&](Cell& cell, std::uint64_t at, std::uint64_t width) {
    if (reads(kind)) read(request, cell, at, width);
    if (writes(kind)) write(request, cell, at);
  });
  return true;
}

inline bool Checker::conflicts(const Request& request, const Cell& cell, Cell::Slot slot) const {
  const std::uint16_t who = cell.thread[slot];
  const bool both_atomic = request.is_atomic && (who & Cell::atomic);
  return !both_atomic &&
         clock_.overlaps(request.space, cell.time[slot], who & ~std::uint32_t{Cell::atomic}, request.thread);
}

inline void Checker::read(Request& request, Cell& cell, std::uint64_t offset, std::uint64_t bytes) {
  const std::uint32_t live_since = request.allocation.is_threadgroup_memory ? clock_.group_start() : time_of_host;
  if (cell.time[Cell::write] < live_since && !was_written(request, cell, offset, bytes))
    report_unwritten(request, offset);
  if (conflicts(request, cell, Cell::write)) report_race(request, cell, Cell::write, offset);
  keep_read(request, cell);
}

inline void Checker::write(Request& request, Cell& cell, std::uint64_t offset) {
  for (const Cell::Slot slot : {Cell::write, Cell::read, Cell::other_read})
    if (conflicts(request, cell, slot)) report_race(request, cell, slot, offset);
  cell.set(Cell::write, request.now(clock_.now()));
}

/// Two reads are enough for whatever writes later to overlap with one of them if it overlaps with any: by two threads,
/// if possible of two simdgroups. One of an earlier group is enough by itself, for that group writes no more.
inline void Checker::keep_read(const Request& request, Cell& cell) const {
  const auto is_mine = [&](Cell::Slot slot) {
    return (cell.thread[slot] & ~Cell::atomic) == request.thread && cell.time[slot] >= clock_.group_start();
  };
  const auto is_over = [&](Cell::Slot slot) {
    return !clock_.overlaps(request.space, cell.time[slot], cell.thread[slot] & ~std::uint32_t{Cell::atomic},
                            request.thread);
  };
  const auto simdgroup = [](std::uint32_t thread) { return (thread & ~std::uint32_t{Cell::atomic}) / 32; };
  const Access now = request.now(clock_.now());
  if (is_mine(Cell::read) || is_over(Cell::read)) return cell.set(Cell::read, now);
  if (cell.time[Cell::read] < clock_.group_start()) return;
  if (is_mine(Cell::other_read) || is_over(Cell::other_read)) return cell.set(Cell::other_read, now);
  if (simdgroup(cell.thread[Cell::read]) == simdgroup(cell.thread[Cell::other_read])) cell.set(Cell::other_read, now);
}

/// The host's writes are looked up at the first read, and noted in the cell.
bool Checker::was_written(const Request& request, Cell& cell, std::uint64_t offset, std::uint64_t bytes) const {
  if (request.allocation.is_threadgroup_memory || !request.allocation.shadow.host_writes.cover(offset, offset + bytes))
    return false;
  cell.time[Cell::write] = time_of_host;
  return true;
}

}  // namespace assay::metal::emulator
