// How much a command buffer takes: macOS ends one that keeps the GPU busy for some seconds, and the screen stands still
// before that. So hosts commit long work as several command buffers, one after the other. Results do not depend on it.
//
// Work is estimated in multiply-adds: those of a threadgroup times the number of threadgroups, of which few take as
// long as 16, since they leave the rest of a GPU idle.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "metal/device/limits.h"

namespace assay::metal::host {

/// The most work of a command buffer: below half a second on the smallest of Apple's GPUs at a tenth of its speed, and
/// some milliseconds on the largest. A dispatch of more work has a command buffer to itself.
constexpr std::uint64_t default_max_work = std::uint64_t{1} << 36;

constexpr std::uint64_t few_groups = 16;

/// a * b, saturated at 2^64 - 1.
constexpr std::uint64_t saturated_product(std::uint64_t a, std::uint64_t b) {
  constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
  return b != 0 && a > most / b ? most : a * b;
}

/// The work of a dispatch of `groups` threadgroups of so much each.
inline std::uint64_t work_of(const Size& groups, std::uint64_t of_group) {
  return saturated_product(std::max(groups.count(), few_groups), of_group);
}

/// Dispatches first .. first + count - 1 of a plan.
struct CommandRange {
  std::size_t first = 0, count = 0;

  bool operator==(const CommandRange&) const = default;
};

/// Dispatches first .. first + count - 1, of work(n) each, divided into the fewest command buffers of at most
/// `max_work`, in order.
template <class Work>
std::vector<CommandRange> command_ranges(std::size_t first, std::size_t count, std::uint64_t max_work,
                                         const Work& work) {
  std::vector<CommandRange> ranges;
  std::uint64_t left = 0;
  for (std::size_t n = first; n < first + count; ++n) {
    const std::uint64_t of_dispatch = work(n);
    if (ranges.empty() || of_dispatch > left) {
      ranges.push_back({n, 0});
      left = std::max(max_work, of_dispatch);
    }
    left -= of_dispatch;
    ++ranges.back().count;
  }
  return ranges;
}

}  // namespace assay::metal::host
