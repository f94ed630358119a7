#include "metal/emulator/check/fences.h"

#include <algorithm>

namespace assay::metal::emulator {

namespace {

std::size_t reach_of(abi::FenceScope scope) {
  switch (scope) {
    case abi::FenceScope::thread:
      return 0;
    case abi::FenceScope::simdgroup:
      return 1;
    case abi::FenceScope::threadgroup:
      return 2;
    case abi::FenceScope::device:
    case abi::FenceScope::system:
      break;
  }
  return 3;
}

/// How far a fence of thread `one` must reach to order the accesses of thread `other`.
std::size_t distance(FencedThread one, FencedThread other) {
  if (one.group_start != other.group_start) return 3;
  return one.simdgroup() != other.simdgroup() ? 2 : 1;
}

}  // namespace

void Fences::begin_sequence() {
  threads_.clear();
  released_.clear();
  begin_group();
}

void Fences::begin_group() {
  if (threads_.empty() && atomics_ == 0) return;
  any_ = all_ = {};
  any_of_simdgroup_.fill({});
  all_of_simdgroup_.fill({});
}

void Fences::pass_threadgroup_barrier(std::uint32_t flags) {
  if (threads_.empty()) return;
  for (std::size_t space = 0; space < memory_spaces.size(); ++space)
    if (flags & memory_spaces[space]) all_[space] = any_[space];
}

void Fences::pass_simdgroup_barrier(std::uint32_t simdgroup, std::uint32_t flags) {
  if (threads_.empty()) return;
  for (std::size_t space = 0; space < memory_spaces.size(); ++space)
    if (flags & memory_spaces[space]) all_of_simdgroup_[simdgroup][space] = any_of_simdgroup_[simdgroup][space];
}

void Fences::fence(FencedThread thread, std::uint32_t flags, abi::MemoryOrder order, abi::FenceScope scope,
                   const FenceTime& time) {
  using abi::MemoryOrder;
  threads_.try_emplace(key(thread));
  const std::size_t reach = reach_of(scope);
  if (order != MemoryOrder::relaxed && order != MemoryOrder::acquire) release(thread, flags, reach, time);
  if (order != MemoryOrder::relaxed && order != MemoryOrder::release) acquire(thread, flags, reach);
}

/// A fence replaces an equal fence of its thread that has released nothing yet, so that a loop of fences keeps one
/// entry.
void Fences::release(FencedThread thread, std::uint32_t flags, std::size_t reach, const FenceTime& time) {
  std::vector<Fence>& fences = released_[thread.group_start];
  const auto same = std::ranges::find_if(fences, [&](const Fence& fence) {
    return fence.thread == thread.thread && fence.released == 0 && fence.flags == flags && fence.reach == reach;
  });
  if (same != fences.end())
    same->time = time;
  else
    fences.push_back({thread.thread, flags, reach, time, 0});
}

void Fences::acquire(FencedThread thread, std::uint32_t flags, std::size_t reach) {
  Thread& own = threads_[key(thread)];
  for (std::size_t space = 0; space < memory_spaces.size(); ++space) {
    if (!(flags & memory_spaces[space])) continue;
    for (Acquired* const acquired : {&own.acquired, &any_, &any_of_simdgroup_[thread.simdgroup()]})
      for (std::size_t near = 0; near <= reach; ++near)
        (*acquired)[space][near] = std::max((*acquired)[space][near], own.last_read);
  }
}

void Fences::note_atomic(FencedThread thread, abi::Access kind) {
  ++atomics_;
  if (kind != abi::Access::atomic_write) threads_[key(thread)].last_read = atomics_;
  if (kind == abi::Access::atomic_read) return;
  const auto fences = released_.find(thread.group_start);
  if (fences == released_.end()) return;
  for (Fence& fence : fences->second)
    if (fence.thread == thread.thread && fence.released == 0) fence.released = atomics_;
}

std::uint64_t Fences::acquired_by(FencedThread thread, std::size_t space, std::size_t reach) const {
  const auto own = threads_.find(key(thread));
  const std::uint64_t by_itself = own == threads_.end() ? 0 : own->second.acquired[space][reach];
  return std::max({by_itself, all_[space][reach], all_of_simdgroup_[thread.simdgroup()][space][reach]});
}

bool Fences::order(FencedThread one, std::uint32_t time, FencedThread other, std::uint32_t flag) const {
  const auto fences = released_.find(one.group_start);
  if (fences == released_.end()) return false;
  const auto space = static_cast<std::size_t>(std::ranges::find(memory_spaces, flag) - memory_spaces.begin());
  const std::size_t reach = distance(one, other);
  const std::uint64_t acquired = acquired_by(other, space, reach);
  return std::ranges::any_of(fences->second, [&](const Fence& fence) {
    const bool is_after =
        (fence.thread == one.thread && fence.time.now >= time) || fence.time.group_barrier[space] > time ||
        (fence.thread / abi::lanes_per_simdgroup == one.simdgroup() && fence.time.simdgroup_barrier[space] > time);
    return is_after && fence.reach >= reach && (fence.flags & flag) != 0 && fence.released != 0 &&
           fence.released < acquired;
  });
}

}  // namespace assay::metal::emulator
