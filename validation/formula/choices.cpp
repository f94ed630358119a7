#include "validation/formula/choices.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <span>
#include <utility>

#include "validation/core/infinity.h"
#include "validation/formula/shares.h"

namespace assay::validation::formula {

/// Two steps outwards: one for the value, which is rounded to double, and one for the end.
Interval interval_of(double value, double error) {
  if (error == 0) return {value, value};
  const auto below = [](double x) { return std::nextafter(x, -infinity); };
  const auto above = [](double x) { return std::nextafter(x, infinity); };
  return {below(below(value) - error), above(above(value) + error)};
}

std::vector<reference::formula::detail::Candidates> candidates_in(const std::vector<Interval>& row) {
  std::vector<double> lower, upper;
  for (const Interval& one : row) {
    lower.push_back(one.lower);
    upper.push_back(one.upper);
  }
  return reference::formula::detail::candidates_of(lower, upper);
}

std::int32_t argsort_of(const Graph& graph, std::int32_t node) {
  const Node& one = graph.nodes[static_cast<std::size_t>(node)];
  if (one.op == Op::argsort) return node;
  return one.op == Op::gather && one.arguments.size() == 1 ? argsort_of(graph, one.arguments[0]) : -1;
}

namespace {

bool is_negative(const Graph& graph, std::int32_t node) {
  const Node& one = graph.nodes[static_cast<std::size_t>(node)];
  if (one.op == Op::gather && one.arguments.size() == 1) return is_negative(graph, one.arguments[0]);
  return one.op == Op::negative;
}

/// The sort, and its element, that element `i` of a node is, beyond copies and a change of sign; the node -1: none.
Original sorted_element(const Graph& graph, std::int32_t number, std::size_t i) {
  const Original original = original_of(graph, number, i);
  const Node& node = graph.nodes[static_cast<std::size_t>(original.node)];
  if (node.op == Op::negative) return sorted_element(graph, node.arguments[0], original.element);
  return node.op == Op::sort ? original : Original{-1, 0};
}

}  // namespace

bool is_beside(const Graph& graph, const Doubles& values, std::int32_t positions, std::int32_t sorted) {
  const auto size = static_cast<std::size_t>(graph.size_of(positions));
  if (size == 0 || graph.size_of(sorted) != graph.size_of(positions)) return false;
  const auto of = [&](std::int32_t node) -> const Node& { return graph.nodes[static_cast<std::size_t>(node)]; };
  const std::int32_t sort = sorted_element(graph, sorted, 0).node;
  const Node& argsort = of(argsort_of(graph, positions));
  if (sort < 0 || of(sort).inner != argsort.inner) return false;
  const auto taken = [&](const Node& node) { return static_cast<std::size_t>(node.arguments[0]); };
  if (values[taken(of(sort))] != values[taken(argsort)]) return false;
  for (std::size_t i = 0; i < size; ++i) {
    const Original one = sorted_element(graph, sorted, i);
    if (one.node != sort || one.element != original_of(graph, positions, i).element) return false;
  }
  return true;
}

Choices::Choices(const Graph& graph, std::int32_t node, const Doubles& values, const Doubles& errors) {
  const auto size = static_cast<std::size_t>(graph.size_of(node));
  for (std::size_t i = 0; i < size; ++i) places_.push_back(original_of(graph, node, i).element);
  const Node& argsort = graph.nodes[static_cast<std::size_t>(argsort_of(graph, node))];
  inner_ = argsort.inner;
  const auto from = static_cast<std::size_t>(argsort.arguments[0]);
  falls_ = is_negative(graph, argsort.arguments[0]);
  const auto inner = static_cast<std::size_t>(inner_);
  is_first_ = std::ranges::all_of(places_, [&](std::size_t place) { return place % inner == 0; });
  for (std::size_t first = 0; first < values[from].size(); first += inner) {
    const std::span row(values[from].data() + first, inner), errors_of_row(errors[from].data() + first, inner);
    const auto nan = std::ranges::find_if(row, [](double x) { return std::isnan(x); });
    const bool is_known = std::ranges::all_of(errors_of_row, [](double error) { return std::isfinite(error); });
    is_judged_.push_back(is_known && nan == row.end());
    first_nan_.push_back(is_known && nan != row.end() ? nan - row.begin() : -1);
    for (std::size_t k = 0; k < inner; ++k) intervals_.push_back(interval_of(row[k], errors_of_row[k]));
  }
}

std::string Choices::why_not_nan(std::size_t row, double got) const {
  if (!is_first_ || first_nan_[row] < 0 || got == static_cast<double>(first_nan_[row])) return "";
  return fmt::format("got {}: expected {}, the position of the first NaN", got, first_nan_[row]);
}

std::string Choices::why(std::size_t element, double got) const {
  const auto inner = static_cast<double>(inner_);
  const bool is_position = got >= 0 && got < inner && got == std::trunc(got);
  if (!is_position) return fmt::format("got {}: expected a whole number from 0 to {}", got, inner_ - 1);
  const std::size_t rank = places_[element] % static_cast<std::size_t>(inner_), first = places_[element] - rank;
  const Interval& chosen = intervals_[first + static_cast<std::size_t>(got)];
  std::int64_t smaller = 0, not_larger = 0;
  for (std::size_t k = first; k < first + static_cast<std::size_t>(inner_); ++k) {
    smaller += intervals_[k].upper < chosen.lower ? 1 : 0;
    not_larger += intervals_[k].lower <= chosen.upper ? 1 : 0;
  }
  const auto due = static_cast<std::int64_t>(rank);
  if (due >= smaller && due < not_larger) return "";
  const double middle = chosen.lower / 2 + chosen.upper / 2;
  return fmt::format(
      "got {}, where the value is {:.9g}: from the {} it has rank {} to {}, whatever is rounded; expected rank {}", got,
      falls_ ? -middle : middle, falls_ ? "largest" : "smallest", smaller, not_larger - 1, due);
}

std::optional<Choices::Wrong> Choices::wrong_in(const std::vector<double>& got) const {
  std::set<std::pair<std::size_t, double>> given;
  for (std::size_t i = 0; i < got.size(); ++i) {
    const std::size_t row = places_[i] / static_cast<std::size_t>(inner_);
    if (std::string wrong = why_not_nan(row, got[i]); !wrong.empty()) return Wrong{i, wrong};
    if (!is_judged_[row]) continue;
    if (std::string wrong = why(i, got[i]); !wrong.empty()) return Wrong{i, wrong};
    if (!given.emplace(row, got[i]).second)
      return Wrong{i, fmt::format("got {} a second time in the same row: expected different positions", got[i])};
  }
  return {};
}

std::optional<Choices::Wrong> Choices::wrong_beside(const std::vector<double>& got, const std::vector<double>& values,
                                                    const Arithmetic& arithmetic, Dtype storage) const {
  for (std::size_t i = 0; i < got.size(); ++i) {
    const auto inner = static_cast<std::size_t>(inner_);
    if (!is_judged_[places_[i] / inner]) continue;
    const Interval& one = intervals_[places_[i] / inner * inner + static_cast<std::size_t>(got[i])];
    const double value = falls_ ? -values[i] : values[i], middle = one.lower / 2 + one.upper / 2;
    const double bound = stored(middle, (one.upper - one.lower) / 2, arithmetic, storage);
    if (std::abs(value - middle) <= bound || value == middle) continue;
    return Wrong{i, fmt::format("got {:.9g}, and beside it the position {:g}, where the value is {:.9g}: expected the "
                                "value at the position",
                                values[i], got[i], falls_ ? -middle : middle)};
  }
  return {};
}

}  // namespace assay::validation::formula
