// The elements of each row of a node in rising order, and their positions in the row: sort and argsort.
//
// Equal elements keep their order, and NaN comes last. Of balls, element i of a sort is enclosed by the i-th smallest of the
// lower ends and of the upper ends, and element i of an argsort by the positions of all balls that may have rank i.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "reference/number/ball.h"
#include "reference/number/traits.h"

namespace assay::reference::formula::detail {

template <class Number>
std::vector<std::size_t> order_of(std::span<const Number> row) {
  using Traits = NumberTraits<Number>;
  std::vector<std::size_t> order(row.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
    return row[a] < row[b] || (!Traits::is_nan(row[a]) && Traits::is_nan(row[b]));
  });
  return order;
}

template <class Number>
std::vector<Number> sorted(std::span<const Number> row) {
  std::vector<Number> result;
  for (const std::size_t k : order_of(row)) result.push_back(row[k]);
  return result;
}

template <class Number>
std::vector<Number> ranked(std::span<const Number> row) {
  std::vector<Number> result;
  for (const std::size_t k : order_of(row)) result.push_back(Number(static_cast<double>(k)));
  return result;
}

/// The first and the last position of those elements of a row that may have a rank.
struct Candidates {
  std::int64_t first = -1, last = -1;
};

/// For each rank, where element k lies within [lower[k], upper[k]]. An element may have the ranks from the number of those
/// that are surely smaller to that of those that are not surely larger, less 1.
template <class End>
std::vector<Candidates> candidates_of(const std::vector<End>& lower, const std::vector<End>& upper) {
  std::vector<End> lowers = lower, uppers = upper;
  std::ranges::sort(lowers, [](const End& a, const End& b) { return a < b; });
  std::ranges::sort(uppers, [](const End& a, const End& b) { return a < b; });
  std::vector<Candidates> all(lower.size());
  for (std::size_t k = 0; k < lower.size(); ++k) {
    const auto least = std::lower_bound(uppers.begin(), uppers.end(), lower[k]) - uppers.begin();
    const auto beyond = std::upper_bound(lowers.begin(), lowers.end(), upper[k]) - lowers.begin();
    for (auto rank = least; rank < beyond; ++rank) {
      Candidates& here = all[static_cast<std::size_t>(rank)];
      if (here.first < 0) here.first = static_cast<std::int64_t>(k);
      here.last = static_cast<std::int64_t>(k);
    }
  }
  return all;
}

#if ASSAY_HAVE_CERTIFIED
struct Ends {
  std::vector<BigFloat> lower, upper;
  bool are_equal = true, have_nan = false;

  explicit Ends(std::span<const Ball> row) {
    for (const Ball& x : row) {
      lower.push_back(x.lower());
      upper.push_back(x.upper());
      are_equal = are_equal && x.is_exact();
      have_nan = have_nan || NumberTraits<Ball>::is_nan(x) || isnan(lower.back()) || isnan(upper.back());
    }
  }
  std::vector<std::size_t> order() const { return order_of<BigFloat>(lower); }
};

template <>
inline std::vector<Ball> sorted<Ball>(std::span<const Ball> row) {
  const Ends ends(row);
  if (ends.have_nan) return std::vector<Ball>(row.size(), NumberTraits<Ball>::nan());
  std::vector<Ball> result;
  if (ends.are_equal) {
    for (const std::size_t k : ends.order()) result.push_back(row[k]);
    return result;
  }
  const auto lower = sorted<BigFloat>(ends.lower), upper = sorted<BigFloat>(ends.upper);
  for (std::size_t i = 0; i < row.size(); ++i)
    result.push_back(lower[i] == upper[i] ? Ball(lower[i]) : Ball::between(lower[i], upper[i]));
  return result;
}

template <>
inline std::vector<Ball> ranked<Ball>(std::span<const Ball> row) {
  const Ends ends(row);
  if (ends.have_nan) return std::vector<Ball>(row.size(), NumberTraits<Ball>::nan());
  std::vector<Ball> result;
  if (ends.are_equal) {
    for (const std::size_t k : ends.order()) result.emplace_back(static_cast<double>(k));
    return result;
  }
  for (const auto& [first, last] : candidates_of(ends.lower, ends.upper)) {
    const Ball low(first);
    result.push_back(first == last ? low : Ball::between(BigFloat(first), BigFloat(last)));
  }
  return result;
}
#endif

}  // namespace assay::reference::formula::detail
