#include "metal/emulator/check/checker.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "metal/emulator/check/plain_access.h"

namespace assay::metal::emulator {

namespace {

bool reads(abi::Access kind) {
  return kind == abi::Access::read || kind == abi::Access::atomic_read || kind == abi::Access::atomic_modify;
}

bool writes(abi::Access kind) {
  return kind != abi::Access::read && kind != abi::Access::atomic_read;
}

abi::MemoryFlags space_of(BoundMemory::Kind kind) {
  const bool is_threadgroup =
      kind == BoundMemory::Kind::threadgroup_argument || kind == BoundMemory::Kind::threadgroup_variable;
  if (kind == BoundMemory::Kind::texture) return abi::mem_texture;
  return is_threadgroup ? abi::mem_threadgroup : abi::mem_device;
}

/// A lower bound on the number of words from `begin` on that were written before the dispatch.
std::uint64_t written_words(const Allocation& allocation, std::uint64_t begin) {
  if (allocation.space == abi::mem_threadgroup) return 0;  // unwritten when a group begins
  const std::uint64_t first = begin * Shadow::word_bytes;
  return (allocation.shadow.host_writes.end_from(first) - first) / Shadow::word_bytes;
}

}  // namespace

void Checker::begin_sequence(Arena& arena) {
  if (clock_.is_near_end()) {
    arena.for_each([this](Allocation& allocation) {
      allocation.shadow.forget_times();
      allocation.trial_shadows[record_].reset();
    });
    clock_ = Clock();
  }
  if (is_trial())
    clock_.begin_trial();
  else
    clock_.begin_sequence();
  fences_.begin_sequence();
  groups_.clear();
}

void Checker::begin_dispatch(DispatchInfo& dispatch) {
  dispatch_ = &dispatch;
  had_fault_ = false;
  for (const BoundMemory& memory : dispatch.memory) allow(memory);
  if (is_trial()) note_read_only();
}

/// In a trial a write to memory that the kernel takes as `const` ends the trial. So its reads cannot race, and those of
/// memory that the host has written break no rule.
void Checker::note_read_only() {
  const auto words_of = [this](const BoundMemory& memory) -> AllowedWords& {
    return memory.allocation->words[record_];
  };
  for (const BoundMemory& memory : dispatch_->memory) words_of(memory).is_read_only = true;
  for (const BoundMemory& memory : dispatch_->memory)
    if (memory.is_written) words_of(memory).is_read_only = false;
  for (const BoundMemory& memory : dispatch_->memory)
    if (AllowedWords& words = words_of(memory); words.is_read_only)
      words.unrecorded_bytes = std::min(words.written, words.count) * Shadow::word_bytes;
}

void Checker::end_dispatch() {
  settle_value();
  for (Allocation* allocation : allowed_) allocation->allowed = {}, allocation->words[record_] = {};
  allowed_.clear();
  dispatch_ = nullptr;
}

void Checker::add(BoundMemory memory) {
  settle_value();
  allow(memory);
  dispatch_->memory.push_back(std::move(memory));
}

void Checker::allow(const BoundMemory& memory) {
  Allocation& allocation = *memory.allocation;
  Extent& extent = allocation.allowed;
  allocation.space = space_of(memory.kind);
  if (extent.length == 0 || memory.offset < extent.begin) extent = {memory.offset, allocation.length() - memory.offset};
  Shadow& shadow = shadow_of(allocation);
  shadow.prepare(allocation.is_sparse);
  const std::uint64_t words = allocation.length() / Shadow::word_bytes;
  const std::uint64_t begin = std::min((extent.begin + Shadow::word_bytes - 1) / Shadow::word_bytes, words);
  allocation.words[record_] = {allocation.begin() + begin * Shadow::word_bytes,
                               allocation.is_absent ? 0 : words - begin,
                               written_words(allocation, begin),
                               0,
                               false,
                               shadow.words() + begin,
                               shadow.bytes() + begin * Shadow::word_bytes,
                               &shadow,
                               &clock_.of(allocation.space)};
  allowed_.push_back(&allocation);
}

/// Threadgroup memory belongs to one OS thread.
Shadow& Checker::shadow_of(Allocation& allocation) const {
  if (!is_trial() || allocation.space == abi::mem_threadgroup) return allocation.shadow;
  auto& shadow = allocation.trial_shadows[record_];
  if (!shadow) shadow = std::make_unique<Shadow>(allocation.length());
  return *shadow;
}

/// A finding ends a trial: the trial does not know the accesses that follow.
void Checker::end_trial() {
  log_.add({Check::racecheck, nullptr, 0}, [] { return Finding{}; });
}

void Checker::begin_group(std::uint64_t group) {
  settle_value();
  clock_.begin_group();
  fences_.begin_group();
  groups_.push_back({clock_.group_start(), dispatch_, group});
}

void Checker::fence(std::uint32_t thread, std::uint32_t flags, abi::MemoryOrder order, abi::FenceScope scope) {
  if (is_trial()) return end_trial();
  const std::uint32_t simdgroup = thread / abi::lanes_per_simdgroup;
  FenceTime time{clock_.now()};
  for (std::size_t n = 0; n < memory_spaces.size(); ++n) {
    const SpaceClock& space = clock_.of(memory_spaces[n]);
    time.group_barrier[n] = space.group_barrier;
    time.simdgroup_barrier[n] = space.simdgroup_barriers[simdgroup];
  }
  fences_.fence({clock_.group_start(), thread}, flags, order, scope, time);
  clock_.pass_fence();
}

bool Checker::judge(Allocation* allocation, std::uint32_t thread, const void* address, std::uint64_t bytes,
                    abi::Access kind, const void* pc) {
  settle_value();
  const std::uint64_t offset =
      allocation ? static_cast<std::uint64_t>(static_cast<const std::byte*>(address) - allocation->begin()) : 0;
  const bool is_allowed =
      allocation && allocation->allowed.covers(offset, bytes) && !(allocation->is_absent && writes(kind));
  if (!is_allowed) {
    report_out_of_bounds(thread, address, bytes, kind, pc);
    return !checks_.memcheck;
  }
  const bool is_beyond_trial = (is_atomic(kind) && allocation->space != abi::mem_threadgroup) ||
                               (writes(kind) && allocation->words[record_].is_read_only);
  if (is_trial() && is_beyond_trial) {
    end_trial();
    return false;
  }
  if (is_atomic(kind)) fences_.atomic_access({clock_.group_start(), thread}, kind);
  const Trace now(clock_.now(), thread, pc, is_atomic(kind));
  Request request{*allocation, allocation->words[record_], thread, kind, pc, bytes, now};
  request.words.shadow->for_each_cell(offset, bytes, [&](Cell cell, std::uint64_t at, std::uint64_t width) {
    if (reads(kind)) read(request, cell, at, width);
    if (writes(kind)) write(request, cell, at);
  });
  return true;
}

void Checker::read(Request& request, Cell cell, std::uint64_t offset, std::uint64_t bytes) {
  if (cell.write.time() < request.words.clock->valid_from && !was_written(request, cell, offset, bytes))
    report_unwritten(request, offset);
  if (request.conflicts(cell.write)) report_race(request, cell.write, "write", offset);
  keep_read(*request.words.clock, cell, request.now);
}

void Checker::write(Request& request, Cell cell, std::uint64_t offset) {
  if (request.conflicts(cell.write)) report_race(request, cell.write, "write", offset);
  if (request.conflicts(cell.read)) report_race(request, cell.read, "read", offset);
  if (cell.read.is_marked() && request.conflicts(cell.other_read))
    report_race(request, cell.other_read, "read", offset);
  cell.write.become(request.now);
}

void Checker::await_value(const Request& request, std::uint64_t offset, const ReportLog::Key& key) {
  Allocation& allocation = request.allocation;
  const std::uint64_t bytes = std::min(request.bytes, allocation.length() - offset);
  const std::byte* const begin = allocation.begin() + offset;
  racing_write_ = {key, &allocation, offset, std::exchange(allocation.words[record_].count, 0), {begin, begin + bytes}};
}

/// The write has been performed: whatever comes next comes after it.
void Checker::settle_value() {
  if (!racing_write_) return;
  const auto& [key, allocation, offset, words, before] = *racing_write_;
  allocation->words[record_].count = words;
  if (std::memcmp(allocation->begin() + offset, before.data(), before.size()) != 0) log_.note_different_values(key);
  racing_write_.reset();
}

/// A write from before is looked up at the first read, and then recorded in the cell, and in those of the words behind
/// it, which are likely to be read next.
bool Checker::was_written(const Request& request, Cell cell, std::uint64_t offset, std::uint64_t bytes) {
  constexpr std::uint64_t bytes_ahead = 256;
  Allocation& allocation = request.allocation;
  if (allocation.space == abi::mem_threadgroup) return false;
  const bool looks_ahead = bytes == Shadow::word_bytes && !allocation.is_sparse;
  const std::uint64_t limit = offset + (looks_ahead ? bytes_ahead : bytes);
  const std::uint64_t end = allocation.shadow.written_until(offset, std::min(limit, allocation.length()));
  const std::uint32_t valid_from = request.words.clock->valid_from;
  const Trace before(valid_from, 0, nullptr, false);
  if (end < offset + bytes) return false;
  cell.write.become(before);
  for (std::uint64_t next = offset + bytes; next + Shadow::word_bytes <= end; next += Shadow::word_bytes)
    if (Trace& write = request.words.shadow->words().writes[next / Shadow::word_bytes];
        write.time() < valid_from && !write.is_marked())
      write.become(before);
  return true;
}

}  // namespace assay::metal::emulator
