#include "validation/formula/index_errors.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "validation/formula/choices.h"

namespace assay::validation::formula {

Operand IndexErrors::operand(const Node& node, std::size_t argument, std::size_t i) const {
  const auto number = static_cast<std::size_t>(node.arguments[argument]);
  return {values_[number][i], errors_[number][i]};
}

void IndexErrors::begin(const Node& node) {
  if (!is_ordering(node.op)) return;
  candidates_.clear();
  const auto size = static_cast<std::size_t>(node.size), inner = static_cast<std::size_t>(node.inner);
  for (std::size_t first = 0; first < size; first += inner) {
    std::vector<Interval> row;
    for (std::size_t k = first; k < first + inner; ++k)
      row.push_back(interval_of(operand(node, 0, k).value, operand(node, 0, k).error));
    const bool has_nan = std::ranges::any_of(row, [](const Interval& x) { return !(x.lower <= x.upper); });
    const auto candidates = has_nan ? std::vector<reference::formula::detail::Candidates>(inner) : candidates_in(row);
    candidates_.insert(candidates_.end(), candidates.begin(), candidates.end());
  }
}

double IndexErrors::of(const Node& node, std::size_t i, double value) const {
  return node.op == Op::take ? taken(node, i, value) : ordered(node, i, value);
}

double IndexErrors::underflow(const Node& node, std::size_t i, const Doubles& underflows) const {
  const auto from = static_cast<std::size_t>(node.arguments[0]), indices = static_cast<std::size_t>(node.arguments[1]);
  const std::int64_t place = reference::formula::detail::place(node, values_[indices], i);
  return place < 0 ? 0 : underflows[from][static_cast<std::size_t>(place)];
}

/// Where the index may be another one, its element may be meant.
double IndexErrors::taken(const Node& node, std::size_t i, double value) const {
  const Operand at = operand(node, 1, i);
  const auto [first, last] =
      reference::formula::detail::between(std::ceil(at.value - at.error), std::floor(at.value + at.error), node.inner);
  if (first < 0) return infinity;
  double error = 0;
  for (std::int64_t k = first; k <= last; ++k) {
    const Operand x = operand(node, 0, static_cast<std::size_t>(node.index[i] * node.inner + k));
    error = std::max(error, x.error + (first == last || x.value == value ? 0 : std::abs(x.value - value)));
  }
  return error;
}

/// An element by its rank is off by no more than one that may have the rank; a position is one of theirs.
double IndexErrors::ordered(const Node& node, std::size_t i, double value) const {
  const auto [first, last] = candidates_[i];
  if (first < 0) return infinity;  // libraries put NaN at either end
  const std::size_t row = i - i % static_cast<std::size_t>(node.inner);
  double error = 0;
  for (std::int64_t k = first; k <= last; ++k) {
    const double carried = operand(node, 0, row + static_cast<std::size_t>(k)).error;
    const double apart = std::abs(static_cast<double>(k) - value);
    error = std::max(error, node.op == Op::sort ? carried : std::isfinite(carried) ? apart : infinity);
  }
  return error;
}

}  // namespace assay::validation::formula
