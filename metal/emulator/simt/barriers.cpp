#include "metal/emulator/simt/barriers.h"

#include <algorithm>
#include <bit>

#include "metal/emulator/simt/lane_masks.h"

namespace assay::metal::emulator {

void Barriers::begin(std::uint32_t threads) {
  threads_ = live_ = threads;
  common_site_ = {};
  is_one_site_ = true;
  at_simdgroup_sites_ = 0;
  update_fast_barrier();
  arrivals_.resize(threads);
  results_.resize(threads);
  left_at_.assign(threads, {});
  simdgroups_.assign((threads + lanes - 1) / lanes, {});
  for (std::uint32_t first = 0; first < threads; first += lanes)
    simdgroups_[first / lanes].live = lanes_of(threads - first);
}

void Barriers::add_arrivals(std::span<const abi::ReadyThread> threads) {
  for (const abi::ReadyThread& arrived : threads) {
    arrivals_[arrived.thread] = {abi::Scope::threadgroup, common_flags_, &common_site_, {}};
    simdgroups_[arrived.thread / lanes].waiting |= bit(arrived.thread % lanes);
  }
}

bool Barriers::completes_fast_barrier(std::size_t others, abi::Scope scope, std::uint32_t flags,
                                      const abi::Site& site) {
  if (others + 1 != threads_ || scope != abi::Scope::threadgroup || !is_common(flags, site)) return false;
  listener_.threadgroup_barrier_passed(flags);
  if (order_.is_fixed())
    listener_.release_in_order_of_arrival(threads_);
  else
    listener_.release(order_.of(threads_));
  return true;
}

void Barriers::arrive(std::uint32_t thread, abi::Scope scope, std::uint32_t flags, const abi::Site& site) {
  arrivals_[thread] = {scope, flags, &site, {}};
  Simdgroup& simdgroup = simdgroups_[thread / lanes];
  if (scope != abi::Scope::threadgroup) return wait_at_simdgroup_site(thread, simdgroup);
  if (!is_common(flags, site)) merge_into_common(flags, site);
  wait(thread, simdgroup);
}

void Barriers::wait_at_simdgroup_site(std::uint32_t thread, Simdgroup& simdgroup) {
  simdgroup.at_simdgroup_site |= bit(thread % lanes);
  ++at_simdgroup_sites_;
  update_fast_barrier();
  wait(thread, simdgroup);
}

/// While threads wait at simdgroup sites, there is no fast barrier: a thread that arrives at a barrier may be the last
/// of its simdgroup, and its arrival then decides what the waiting lanes do.
void Barriers::update_fast_barrier() {
  fast_barrier_.file = at_simdgroup_sites_ == 0 ? common_site_.file : nullptr;
  fast_barrier_.position = abi::line_and_column(common_site_);
  fast_barrier_.flags = common_flags_;
}

void Barriers::finish(std::uint32_t thread, bool by_fault) {
  Simdgroup& simdgroup = simdgroups_[thread / lanes];
  simdgroup.live &= ~bit(thread % lanes);
  if (!by_fault) simdgroup.returned |= bit(thread % lanes);
  --live_;
  if (simdgroup.waiting == simdgroup.live) resolve(thread / lanes);
}

/// Takes note of a thread that arrives at a threadgroup barrier which differs from the common barrier.
void Barriers::merge_into_common(std::uint32_t flags, const abi::Site& site) {
  const auto is_waiting_at_barrier = [](const Simdgroup& state) {
    return (state.waiting & ~state.at_simdgroup_site) != 0;
  };
  if (std::ranges::none_of(simdgroups_, is_waiting_at_barrier)) {
    common_site_ = site;
    common_flags_ = flags;
  }
  common_flags_ &= flags;
  if (!same_site(site, common_site_)) is_one_site_ = false;
  update_fast_barrier();
}

bool Barriers::all_are_at_threadgroup_barrier() const {
  return live_ != 0 && std::ranges::all_of(simdgroups_, [](const Simdgroup& state) {
           return state.waiting == state.live && state.at_simdgroup_site == 0;
         });
}

/// Called when every lane of the simdgroup waits or has finished.
void Barriers::resolve(std::uint32_t simdgroup) {
  const Simdgroup& state = simdgroups_[simdgroup];
  if (state.at_simdgroup_site == 0) {
    if (all_are_at_threadgroup_barrier()) resolve_threadgroup_barrier();
  } else if (state.at_collective != 0) {
    run_collective(simdgroup);
  } else {
    resolve_simdgroup_barrier(simdgroup);
  }
}

void Barriers::resolve_threadgroup_barrier() {
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

void Barriers::report_different_threadgroup_barriers() {
  std::uint32_t first = threads_;
  for (std::uint32_t group = 0; group < simdgroups_.size(); ++group) {
    const std::uint32_t live = simdgroups_[group].live;
    if (live == 0) continue;
    if (first == threads_) first = group * lanes + first_lane(live);
    const std::uint32_t other = first_at_another_site(group, live, first);
    if (other != first) return listener_.barriers_differ(first, *arrivals_[first].site, other, *arrivals_[other].site);
  }
}

void Barriers::report_skipped_threadgroup_barrier() {
  std::uint32_t first = threads_, returned = threads_;
  for (std::uint32_t group = 0; group < simdgroups_.size(); ++group) {
    const Simdgroup& state = simdgroups_[group];
    if (state.live != 0 && first == threads_) first = group * lanes + first_lane(state.live);
    if (state.returned != 0 && returned == threads_) returned = group * lanes + first_lane(state.returned);
  }
  if (returned != threads_) listener_.barrier_skipped(first, *arrivals_[first].site, returned);
}

void Barriers::resolve_simdgroup_barrier(std::uint32_t simdgroup) {
  const Simdgroup& state = simdgroups_[simdgroup];
  const std::uint32_t first = simdgroup * lanes + first_lane(state.at_simdgroup_site);
  const std::uint32_t other = first_at_another_site(simdgroup, state.live, first);
  if (other != first) return listener_.barriers_differ(first, *arrivals_[first].site, other, *arrivals_[other].site);
  if (state.returned != 0)
    listener_.barrier_skipped(first, *arrivals_[first].site, simdgroup * lanes + first_lane(state.returned));
  std::uint32_t flags = ~std::uint32_t{0};
  for (std::uint32_t mask = state.live; mask != 0; mask &= mask - 1)
    flags &= arrivals_[simdgroup * lanes + first_lane(mask)].flags;
  listener_.simdgroup_barrier_passed(simdgroup, flags);
  release(simdgroup, state.live);
}

void Barriers::release(std::uint32_t simdgroup, std::uint32_t released) {
  Simdgroup& state = simdgroups_[simdgroup];
  state.waiting &= ~released;
  state.at_collective &= ~released;
  state.at_simdgroup_site &= ~released;
  at_simdgroup_sites_ -= static_cast<std::uint32_t>(std::popcount(released));
  update_fast_barrier();
  released_.clear();
  for (const std::uint32_t lane : lane_order_.of(lanes))
    if (released & bit(lane)) released_.push_back(simdgroup * lanes + lane);
  listener_.release(released_);
}

std::uint32_t Barriers::first_at_another_site(std::uint32_t simdgroup, std::uint32_t mask, std::uint32_t thread) const {
  for (; mask != 0; mask &= mask - 1) {
    const std::uint32_t other = simdgroup * lanes + first_lane(mask);
    if (arrivals_[other].scope != arrivals_[thread].scope ||
        !same_site(*arrivals_[other].site, *arrivals_[thread].site))
      return other;
  }
  return thread;
}

}  // namespace assay::metal::emulator
