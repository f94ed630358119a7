// Collectives of simdgroups and quadgroups: one all-gather among the active lanes.
#include <bit>
#include <cstring>
#include <tuple>

#include "metal/emulator/simt/barriers.h"
#include "metal/emulator/simt/lane_masks.h"

namespace assay::metal::emulator {

namespace {

/// All lanes of the quadgroups that have a lane in `mask`.
std::uint32_t whole_quadgroups(std::uint32_t mask) {
  std::uint32_t whole = 0;
  for (std::uint32_t quad = 0xF; quad != 0; quad <<= abi::lanes_per_quadgroup)
    if (mask & quad) whole |= quad;
  return whole;
}

bool comes_before(const abi::Site& a, const abi::Site& b) {
  return std::tie(a.line, a.column) < std::tie(b.line, b.column);
}

}  // namespace

void Barriers::arrive_at_collective(std::uint32_t thread, abi::Scope scope, const void* mine, std::uint64_t bytes,
                                    void* all, const abi::Site& site) {
  arrivals_[thread] = {scope, 0, &site, {mine, bytes, all}};
  Simdgroup& simdgroup = simdgroups_[thread / lanes];
  simdgroup.at_collective |= bit(thread % lanes);
  wait_at_simdgroup_site(thread, simdgroup);
}

void Barriers::run_collective(std::uint32_t simdgroup) {
  const std::uint32_t active = lanes_at_first_site(simdgroup), base = simdgroup * lanes;
  const Arrival& first = arrivals_[base + first_lane(active)];
  if (const std::uint32_t missing = missing_lanes(simdgroup, active); missing != 0)
    listener_.lanes_missing(simdgroup, active, missing, *first.site);
  const std::size_t bytes = first.gather.bytes;
  gathered_.assign(lanes * bytes, std::byte{0});
  for (std::uint32_t mask = active; mask != 0; mask &= mask - 1) {
    const std::uint32_t lane = first_lane(mask);
    std::memcpy(gathered_.data() + lane * bytes, arrivals_[base + lane].gather.mine, bytes);
  }
  const bool by_quads = first.scope == abi::Scope::quadgroup;
  const std::uint32_t width = by_quads ? abi::lanes_per_quadgroup : lanes;
  for (std::uint32_t mask = active; mask != 0; mask &= mask - 1) {
    const std::uint32_t lane = first_lane(mask), from = lane / width * width;
    std::memcpy(arrivals_[base + lane].gather.all, gathered_.data() + from * bytes, width * bytes);
    if (listener_.follows_values()) note_gathered(base, active, from, width, lane);
    results_[base + lane] = {by_quads ? active >> from & 0xFU : active, lane % width};
  }
  release(simdgroup, active);
}

/// The lanes [from, from + width) of `active` have given their values to `lane`.
void Barriers::note_gathered(std::uint32_t base, std::uint32_t active, std::uint32_t from, std::uint32_t width,
                             std::uint32_t lane) {
  const auto& to = arrivals_[base + lane].gather;
  for (std::uint32_t n = 0; n < width; ++n)
    if (active >> (from + n) & 1)
      listener_.value_moved(static_cast<const std::byte*>(to.all) + n * to.bytes,
                            arrivals_[base + from + n].gather.mine, to.bytes);
}

std::uint32_t Barriers::faulted_lanes(std::uint32_t simdgroup) const {
  const Simdgroup& state = simdgroups_[simdgroup];
  return lanes_of(threads_ - simdgroup * lanes) & ~state.live & ~state.returned;
}

/// Whether a thread that has returned did so behind the site in the text: by a `return;` behind the site in the same
/// file, or at the end of the kernel.
bool Barriers::has_passed(std::uint32_t thread, const abi::Site& site) const {
  const abi::Site& left = left_at_[thread];
  return left.line == 0 || (std::strcmp(left.file, site.file) == 0 && comes_before(site, left));
}

/// The lanes whose absence from a collective of the lanes `active` is to be reported. A collective of the active lanes
/// misses the lanes that are elsewhere in the shader or returned behind the collective. A collective of all lanes also
/// misses the lanes that returned before it and the lanes that do not exist. Reads from single lanes are judged when
/// they happen.
std::uint32_t Barriers::missing_lanes(std::uint32_t simdgroup, std::uint32_t active) const {
  const Arrival& first = arrivals_[simdgroup * lanes + first_lane(active)];
  if (first.site->needs == abi::Needs::no_lanes || first.site->needs == abi::Needs::read_lanes) return 0;
  if (first.site->needs == abi::Needs::all_lanes) return ~active & ~faulted_lanes(simdgroup);
  std::uint32_t elsewhere = simdgroups_[simdgroup].live & ~active;
  for (std::uint32_t mask = simdgroups_[simdgroup].returned; mask != 0; mask &= mask - 1)
    if (has_passed(simdgroup * lanes + first_lane(mask), *first.site)) elsewhere |= bit(first_lane(mask));
  return first.scope == abi::Scope::quadgroup ? elsewhere & whole_quadgroups(active) : elsewhere;
}

std::uint32_t Barriers::lanes_at_first_site(std::uint32_t simdgroup) const {
  const std::uint32_t candidates = simdgroups_[simdgroup].at_collective, base = simdgroup * lanes;
  const abi::Site* first = arrivals_[base + first_lane(candidates)].site;
  bool are_all_there = true;
  for (std::uint32_t mask = candidates; mask != 0; mask &= mask - 1) {
    const abi::Site* const site = arrivals_[base + first_lane(mask)].site;
    if (same_site(*site, *first)) continue;
    are_all_there = false;
    if (comes_before(*site, *first)) first = site;
  }
  if (are_all_there) return candidates;
  std::uint32_t there = 0;
  for (std::uint32_t mask = candidates; mask != 0; mask &= mask - 1) {
    const std::uint32_t lane = first_lane(mask);
    if (same_site(*arrivals_[base + lane].site, *first)) there |= bit(lane);
  }
  return there;
}

}  // namespace assay::metal::emulator
