// How large an extent may be for a kernel's results to be judged: where sums grow past what the declared roundoff bounds,
// any number would pass (docs/acceptance.md, "Judged or not").
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>

namespace assay::validation {

/// Counts the cases of one extent by its size: those with ordinary values, and all that were declined.
struct JudgedSizes {
  using Counts = std::map<std::int64_t, std::int64_t>;
  Counts judged = {};    ///< cases of which enough was judged
  Counts thin = {};      ///< cases of which too little was: a wide bound alone leaves them unjudged
  Counts declined = {};  ///< cases that the kernel declined when it was called

  void add(std::int64_t size, bool suffices) { ++(suffices ? judged : thin)[size]; }

  void merge(const JudgedSizes& other) {
    for (const auto& [size, count] : other.judged) judged[size] += count;
    for (const auto& [size, count] : other.thin) thin[size] += count;
    for (const auto& [size, count] : other.declined) declined[size] += count;
  }

  /// The largest size of a case of which enough was judged. Where few are judged, one may be by chance: if fewer than a
  /// fifth of the cases of larger sizes than some size are, that size is the largest.
  std::int64_t largest() const {
    const std::int64_t top = judged.empty() ? 0 : judged.rbegin()->first;
    std::int64_t largest = top, few = 0, many = 0, above = top;
    for (auto one = judged.rbegin(); one != judged.rend(); ++one) {
      few += count(thin, one->first, above);
      if (few > 4 * many) {
        largest = one->first;
        few = many = 0;
      }
      many += one->second;
      above = one->first;
    }
    return largest;
  }

  /// Thin cases of larger sizes than any that was judged.
  std::int64_t beyond() const { return count(thin, largest(), all); }

  /// Whether more sizes are thin than lie between two of a run, a factor of 1.5, or a fifth of the cases. One case may be
  /// thin by chance.
  bool is_cut_short() const {
    const std::int64_t thin_above = beyond(), cases = count(judged, none, all) + count(thin, none, all);
    return thin_above >= 2 && (2 * thin.rbegin()->first > 3 * largest() || 5 * thin_above >= cases);
  }

  /// Whether the kernel declined a case that is larger than `size`.
  bool declined_above(std::int64_t size) const { return count(declined, size, all) > 0; }

  bool operator==(const JudgedSizes&) const = default;

 private:
  static constexpr std::int64_t none = -1, all = std::numeric_limits<std::int64_t>::max();

  /// The number of cases whose size lies in (above, last].
  static std::int64_t count(const Counts& cases, std::int64_t above, std::int64_t last) {
    std::int64_t sum = 0;
    for (auto one = cases.upper_bound(above); one != cases.end() && one->first <= last; ++one) sum += one->second;
    return sum;
  }
};

}  // namespace assay::validation
