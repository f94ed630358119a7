#include "metal/emulator/simt/meetings.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <tuple>

namespace assay::metal::emulator {

namespace {

std::uint32_t first_lane(std::uint32_t mask) {
  return static_cast<std::uint32_t>(std::countr_zero(mask));
}

bool same_site(const abi::Site& a, const abi::Site& b) {
  return a.line == b.line && a.column == b.column && (a.file == b.file || std::strcmp(a.file, b.file) == 0);
}

bool comes_before(const abi::Site& a, const abi::Site& b) {
  return std::tie(a.line, a.column) < std::tie(b.line, b.column);
}

}  // namespace

void Meetings::begin(std::uint32_t threads) {
  threads_ = live_ = threads;
  common_site_ = {};
  is_one_site_ = true;
  elsewhere_ = 0;
  tell_round();
  arrivals_.resize(threads);
  results_.resize(threads);
  simdgroups_.assign((threads + lanes - 1) / lanes, {});
  for (std::uint32_t first = 0; first < threads; first += lanes)
    simdgroups_[first / lanes].live = ~std::uint32_t{0} >> (lanes - std::min(lanes, threads - first));
}

void Meetings::have_come(std::span<const abi::Turn> threads) {
  for (const abi::Turn& turn : threads) {
    arrivals_[turn.thread] = {abi::Scope::threadgroup, common_flags_, &common_site_, {}};
    simdgroups_[turn.thread / lanes].waiting |= bit(turn.thread % lanes);
  }
}

bool Meetings::passes(std::size_t others, abi::Scope scope, std::uint32_t flags, const abi::Site& site) {
  if (others + 1 != threads_ || scope != abi::Scope::threadgroup || !is_common(flags, site)) return false;
  listener_.threadgroup_barrier_passed(flags);
  if (order_.is_fixed())
    listener_.release_again(threads_);
  else
    listener_.release(order_.of(threads_));
  return true;
}

void Meetings::come_to_barrier(std::uint32_t thread, abi::Scope scope, std::uint32_t flags, const abi::Site& site) {
  arrivals_[thread] = {scope, flags, &site, {}};
  Simdgroup& simdgroup = simdgroups_[thread / lanes];
  if (scope != abi::Scope::threadgroup) return wait_elsewhere(thread, simdgroup);
  if (!is_common(flags, site)) note_barrier(flags, site);
  wait(thread, simdgroup);
}

void Meetings::wait_elsewhere(std::uint32_t thread, Simdgroup& simdgroup) {
  simdgroup.elsewhere |= bit(thread % lanes);
  ++elsewhere_;
  tell_round();
  wait(thread, simdgroup);
}

/// While threads wait elsewhere, each that comes to a barrier may be the last of its simdgroup that they wait for.
void Meetings::tell_round() {
  round_.file = elsewhere_ == 0 ? common_site_.file : nullptr;
  round_.place = abi::line_and_column(common_site_);
  round_.flags = common_flags_;
}

void Meetings::come_to_exchange(std::uint32_t thread, abi::Scope scope, const void* mine, std::uint64_t bytes,
                                void* all, const abi::Site& site) {
  arrivals_[thread] = {scope, 0, &site, {mine, bytes, all}};
  Simdgroup& simdgroup = simdgroups_[thread / lanes];
  simdgroup.at_exchange |= bit(thread % lanes);
  wait_elsewhere(thread, simdgroup);
}

void Meetings::end(std::uint32_t thread, bool by_fault) {
  Simdgroup& simdgroup = simdgroups_[thread / lanes];
  simdgroup.live &= ~bit(thread % lanes);
  if (!by_fault) simdgroup.left |= bit(thread % lanes);
  --live_;
  if (simdgroup.waiting == simdgroup.live) settle(thread / lanes);
}

/// A thread comes to a threadgroup barrier that is not as the last one was.
void Meetings::note_barrier(std::uint32_t flags, const abi::Site& site) {
  const auto has_some = [](const Simdgroup& state) { return (state.waiting & ~state.elsewhere) != 0; };
  if (std::ranges::none_of(simdgroups_, has_some)) {
    common_site_ = site;
    common_flags_ = flags;
  }
  common_flags_ &= flags;
  if (!same_site(site, common_site_)) is_one_site_ = false;
  tell_round();
}

bool Meetings::all_are_at_threadgroup_barrier() const {
  return live_ != 0 && std::ranges::all_of(simdgroups_, [](const Simdgroup& state) {
           return state.waiting == state.live && state.elsewhere == 0;
         });
}

/// Every lane of the simdgroup waits or has ended.
void Meetings::settle(std::uint32_t simdgroup) {
  const Simdgroup& state = simdgroups_[simdgroup];
  if (state.elsewhere == 0) {
    if (all_are_at_threadgroup_barrier()) settle_threadgroup();
  } else if (state.at_exchange != 0) {
    exchange(simdgroup);
  } else {
    settle_simdgroup_barrier(simdgroup);
  }
}

void Meetings::settle_threadgroup() {
  if (!is_one_site_) return report_different_threadgroup_barriers();
  if (live_ != threads_) report_skipped_threadgroup_barrier();
  for (Simdgroup& state : simdgroups_) state.waiting = 0;
  listener_.threadgroup_barrier_passed(common_flags_);
  const std::span<const std::uint32_t> all = order_.of(threads_);
  if (live_ == threads_) return listener_.release(all);
  released_.clear();
  for (const std::uint32_t thread : all)
    if (simdgroups_[thread / lanes].live & bit(thread % lanes)) released_.push_back(thread);
  listener_.release(released_);
}

void Meetings::report_different_threadgroup_barriers() {
  std::uint32_t first = threads_;
  for (std::uint32_t group = 0; group < simdgroups_.size(); ++group) {
    const std::uint32_t live = simdgroups_[group].live;
    if (live == 0) continue;
    if (first == threads_) first = group * lanes + first_lane(live);
    const std::uint32_t other = one_elsewhere(group, live, first);
    if (other != first) return listener_.barriers_differ(first, *arrivals_[first].site, other, *arrivals_[other].site);
  }
}

void Meetings::report_skipped_threadgroup_barrier() {
  std::uint32_t first = threads_, left = threads_;
  for (std::uint32_t group = 0; group < simdgroups_.size(); ++group) {
    const Simdgroup& state = simdgroups_[group];
    if (state.live != 0 && first == threads_) first = group * lanes + first_lane(state.live);
    if (state.left != 0 && left == threads_) left = group * lanes + first_lane(state.left);
  }
  if (left != threads_) listener_.barrier_skipped(first, *arrivals_[first].site, left);
}

void Meetings::settle_simdgroup_barrier(std::uint32_t simdgroup) {
  const Simdgroup& state = simdgroups_[simdgroup];
  const std::uint32_t first = simdgroup * lanes + first_lane(state.elsewhere);
  const std::uint32_t other = one_elsewhere(simdgroup, state.live, first);
  if (other != first) return listener_.barriers_differ(first, *arrivals_[first].site, other, *arrivals_[other].site);
  if (state.left != 0)
    listener_.barrier_skipped(first, *arrivals_[first].site, simdgroup * lanes + first_lane(state.left));
  std::uint32_t flags = ~std::uint32_t{0};
  for (std::uint32_t mask = state.live; mask != 0; mask &= mask - 1)
    flags &= arrivals_[simdgroup * lanes + first_lane(mask)].flags;
  listener_.simdgroup_barrier_passed(simdgroup, flags);
  release(simdgroup, state.live);
}

void Meetings::exchange(std::uint32_t simdgroup) {
  const std::uint32_t active = lanes_at_first_site(simdgroup), base = simdgroup * lanes;
  const Arrival& first = arrivals_[base + first_lane(active)];
  const std::size_t bytes = first.exchange.bytes;
  gathered_.assign(lanes * bytes, std::byte{0});
  for (std::uint32_t mask = active; mask != 0; mask &= mask - 1) {
    const std::uint32_t lane = first_lane(mask);
    std::memcpy(gathered_.data() + lane * bytes, arrivals_[base + lane].exchange.mine, bytes);
  }
  const bool by_quads = first.scope == abi::Scope::quadgroup;
  const std::uint32_t width = by_quads ? abi::lanes_per_quadgroup : lanes;
  for (std::uint32_t mask = active; mask != 0; mask &= mask - 1) {
    const std::uint32_t lane = first_lane(mask), from = lane / width * width;
    std::memcpy(arrivals_[base + lane].exchange.all, gathered_.data() + from * bytes, width * bytes);
    results_[base + lane] = {by_quads ? active >> from & 0xFU : active, lane % width};
  }
  release(simdgroup, active);
}

void Meetings::release(std::uint32_t simdgroup, std::uint32_t released) {
  Simdgroup& state = simdgroups_[simdgroup];
  state.waiting &= ~released;
  state.at_exchange &= ~released;
  state.elsewhere &= ~released;
  elsewhere_ -= static_cast<std::uint32_t>(std::popcount(released));
  tell_round();
  released_.clear();
  for (const std::uint32_t lane : lane_order_.of(lanes))
    if (released & bit(lane)) released_.push_back(simdgroup * lanes + lane);
  listener_.release(released_);
}

std::uint32_t Meetings::lanes_at_first_site(std::uint32_t simdgroup) const {
  const std::uint32_t candidates = simdgroups_[simdgroup].at_exchange, base = simdgroup * lanes;
  const abi::Site* first = arrivals_[base + first_lane(candidates)].site;
  bool all_are_there = true;
  for (std::uint32_t mask = candidates; mask != 0; mask &= mask - 1) {
    const abi::Site* const site = arrivals_[base + first_lane(mask)].site;
    if (same_site(*site, *first)) continue;
    all_are_there = false;
    if (comes_before(*site, *first)) first = site;
  }
  if (all_are_there) return candidates;
  std::uint32_t there = 0;
  for (std::uint32_t mask = candidates; mask != 0; mask &= mask - 1) {
    const std::uint32_t lane = first_lane(mask);
    if (same_site(*arrivals_[base + lane].site, *first)) there |= bit(lane);
  }
  return there;
}

std::uint32_t Meetings::one_elsewhere(std::uint32_t simdgroup, std::uint32_t mask, std::uint32_t thread) const {
  for (; mask != 0; mask &= mask - 1) {
    const std::uint32_t other = simdgroup * lanes + first_lane(mask);
    if (arrivals_[other].scope != arrivals_[thread].scope ||
        !same_site(*arrivals_[other].site, *arrivals_[thread].site))
      return other;
  }
  return thread;
}

}  // namespace assay::metal::emulator
