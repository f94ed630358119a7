// How large an extent may be for a kernel's results to be judged: where sums grow past what the declared roundoff bounds,
// any number would pass (docs/acceptance.md, "Judged or not").
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>

namespace assay::validation {

/// Counts the cases of one extent with ordinary values, which a wide bound alone leaves unjudged.
struct JudgedSizes {
  std::int64_t cases = 0;
  std::int64_t largest = 0;                        ///< of a case of which enough was judged
  std::map<std::int64_t, std::int64_t> thin = {};  ///< cases of which too little was, counted by size

  void add(std::int64_t size, bool suffices) {
    ++cases;
    if (suffices) largest = std::max(largest, size);
    if (!suffices) ++thin[size];
  }

  void merge(const JudgedSizes& other) {
    cases += other.cases;
    largest = std::max(largest, other.largest);
    for (const auto& [size, count] : other.thin) thin[size] += count;
  }

  /// Cases of larger sizes than any that was judged.
  std::int64_t beyond() const {
    std::int64_t count = 0;
    for (auto one = thin.upper_bound(largest); one != thin.end(); ++one) count += one->second;
    return count;
  }

  /// Whether more sizes are not judged than lie between two of a run, a factor of 1.5, or a fifth of the cases. One case may
  /// be thin by chance.
  bool is_cut_short() const {
    const std::int64_t unjudged = beyond();
    return unjudged >= 2 && (2 * thin.rbegin()->first > 3 * largest || 5 * unjudged >= cases);
  }

  bool operator==(const JudgedSizes&) const = default;
};

}  // namespace assay::validation
