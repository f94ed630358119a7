// simdcheck: the reports of simdgroup operations that not all lanes execute. One for each line.
//
// A thread is inactive if it is elsewhere in the shader, has returned, or does not exist, because the threadgroup does
// not fill its last simdgroup. "A thread needs to only read data from another active thread in the SIMD-group" (Metal
// Shading Language Specification, 6.9.2); reductions, prefixes and votes are among the active threads by definition;
// operations on simdgroup matrices are undefined unless all threads of the simdgroup execute them (2.4).
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <bit>
#include <string>
#include <vector>

#include "metal/emulator/dispatch/events.h"
#include "metal/emulator/dispatch/group_runner.h"

namespace assay::metal::emulator {

namespace {

constexpr std::uint32_t width_of(abi::Scope scope) {
  return scope == abi::Scope::quadgroup ? abi::lanes_per_quadgroup : abi::lanes_per_simdgroup;
}

/// "lane 4" or "lanes 0-3, 8, 10-31"
std::string lanes_text(std::uint64_t mask) {
  std::vector<std::string> ranges;
  for (int lane = 0; mask >> lane != 0; ++lane) {
    if ((mask >> lane & 1) == 0) continue;
    const int first = lane;
    while ((mask >> (lane + 1) & 1) != 0) ++lane;
    ranges.push_back(first == lane ? fmt::format("{}", first) : fmt::format("{}-{}", first, lane));
  }
  return fmt::format("lane{} {}", std::popcount(mask) == 1 ? "" : "s", fmt::join(ranges, ", "));
}

std::string taking_part(std::uint64_t active, std::uint64_t inactive) {
  return fmt::format("{} take{} part, {} do{} not", lanes_text(active), std::popcount(active) == 1 ? "s" : "",
                     lanes_text(inactive), std::popcount(inactive) == 1 ? "es" : "");
}

/// A key that all operations of a line share.
std::uintptr_t line_of(const abi::Site& site, bool is_warning) {
  return std::uintptr_t{site.line} << 1 | (is_warning ? 1U : 0U);
}

}  // namespace

/// The place where a thread waits or has ended; nothing if there is no such thread.
std::optional<Event> GroupRunner::whereabouts(std::uint32_t thread) const {
  if (thread >= barriers_.threads()) return std::nullopt;
  if (const abi::Site* const site = barriers_.site_of(thread))
    return event_of(thread, waiting_at(*site), position_of(*site));
  return event_of(thread, "ended", launch_->info.position);
}

void GroupRunner::lanes_missing(std::uint32_t simdgroup, std::uint32_t active, std::uint32_t missing,
                                const abi::Site& site) {
  if (!options_.simdcheck) return;
  const bool is_warning = site.needs != abi::Needs::all_lanes;
  log_.add({Check::simdcheck, site.file, line_of(site, is_warning)}, [&] {
    const std::uint32_t base = simdgroup * abi::lanes_per_simdgroup;
    const auto first = [&](std::uint32_t mask) { return base + static_cast<std::uint32_t>(std::countr_zero(mask)); };
    const char* const rule = is_warning ? "not all lanes of the simdgroup come to"
                                        : "undefined, since not all lanes of the simdgroup execute";
    Finding found =
        finding(Check::simdcheck, fmt::format("{} {}: {}", rule, site.operation, taking_part(active, missing)),
                event_of(first(active), site.operation, position_of(site)), whereabouts(first(missing)));
    found.report.is_warning = is_warning;
    found.report.advice = "let all lanes of the simdgroup come to it: move it out of the branch or the loop";
    return found;
  });
}

void GroupRunner::undefined_lane(abi::Scope scope, std::uint32_t lane, const abi::Site& site) {
  const std::uint32_t width = width_of(scope), me = scheduler_.current();
  const std::uint32_t other = me / width * width + lane;
  const bool is_lane = lane < width;
  if (!options_.simdcheck || (is_lane && barriers_.was_ended_by_fault(other))) return;
  log_.add({Check::simdcheck, site.file, line_of(site, false)}, [&] {
    const std::uint64_t active = barriers_.result(me).active, all = (std::uint64_t{1} << width) - 1;
    const std::string lanes =
        active == all ? fmt::format("lanes are 0 to {}", width - 1) : taking_part(active, all & ~active);
    Finding found =
        finding(Check::simdcheck,
                fmt::format("{} reads lane {} of the {}group, whose value is undefined: {}", site.operation, lane,
                            scope == abi::Scope::quadgroup ? "quad" : "simd", lanes),
                event_of(me, site.operation, position_of(site)), is_lane ? whereabouts(other) : std::nullopt);
    found.report.advice = "read from a lane that takes part, or let all lanes come to the operation";
    return found;
  });
}

}  // namespace assay::metal::emulator
