// How much a comparison proves: an element is judged where its bound lies below the range that its value can have. Any
// number that a kernel may give would pass elsewhere (docs/acceptance.md, "Judged or not").
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

namespace assay::validation {

/// The range of a value that has no limit, such as a loss.
inline constexpr double no_range = std::numeric_limits<double>::infinity();

/// `range` is the largest size that the value can have. A value that can be nothing but 0 is known: any bound judges
/// it.
constexpr bool is_judged(double bound, double range) {
  return bound < (range > 0 ? range : no_range);
}

/// The elements that were compared.
struct Judged {
  std::int64_t elements = 0;
  std::int64_t judged = 0;
  double bound = 0;           ///< the largest of those judged
  bool misses_index = false;  ///< a row, a frame, a class or the like has elements, and none of them is judged

  /// Counts an element. Returns whether it is judged.
  bool add(double bound_of_element, double range) {
    const bool is_one = is_judged(bound_of_element, range);
    ++elements;
    judged += is_one ? 1 : 0;
    if (is_one) bound = std::max(bound, bound_of_element);
    return is_one;
  }

  void merge(const Judged& other) {
    elements += other.elements;
    judged += other.judged;
    bound = std::max(bound, other.bound);
    misses_index = misses_index || other.misses_index;
  }

  /// Whether enough is judged for a verdict on one case: at least half, and each index somewhere.
  bool suffices() const { return !misses_index && 2 * judged >= elements; }
};

}  // namespace assay::validation
