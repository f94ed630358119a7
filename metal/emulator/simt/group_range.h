// Threadgroups of a grid that are to run alone.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace assay::metal::emulator {

/// Groups `first` to `last`, numbered along x, then y, then z. Numbers beyond the grid stand for its last group.
struct GroupRange {
  static constexpr std::uint64_t end_of_grid = ~std::uint64_t{0};
  std::uint64_t first = 0, last = end_of_grid;
};

/// The threadgroups that run out of `groups`, in rising order, each once.
class ChosenGroups {
 public:
  /// All if `ranges` is empty.
  ChosenGroups(std::uint64_t groups, std::vector<GroupRange> ranges) {
    if (ranges.empty()) ranges.push_back({});
    std::ranges::sort(ranges, {}, &GroupRange::first);
    for (GroupRange range : ranges) {
      range.first = std::min(range.first, groups - 1);
      range.last = std::min(range.last, groups - 1);
      if (!ranges_.empty()) range.first = std::max(range.first, ranges_.back().last + 1);
      if (range.first > range.last) continue;
      ranges_.push_back(range);
      count_ += range.last - range.first + 1;
    }
  }

  std::uint64_t count() const { return count_; }

  /// The number of the one at `index` of those that run.
  std::uint64_t operator[](std::uint64_t index) const {
    for (const GroupRange& range : ranges_) {
      const std::uint64_t groups = range.last - range.first + 1;
      if (index < groups) return range.first + index;
      index -= groups;
    }
    return 0;
  }

 private:
  std::vector<GroupRange> ranges_;
  std::uint64_t count_ = 0;
};

}  // namespace assay::metal::emulator
