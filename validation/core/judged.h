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

/// The share of a result's size up to which a kernel may be off by what it declares alone: 2^-8, or 16 of the largest
/// roundings of a value that it declares. A kernel that loses more does not round, it computes something else, and a
/// result that is off by more is not judged.
constexpr double widest_share(double largest_rounding) {
  constexpr double of_bfloat16 = 0x1p-8;
  return std::max(of_bfloat16, 16 * std::min(largest_rounding, of_bfloat16));
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
