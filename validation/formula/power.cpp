#include "validation/formula/power.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace assay::validation::formula {
namespace {

using Terms = std::vector<std::vector<double>>;  ///< [element of the sum][index of the extent]

Terms terms_of_product(const Node& node, const Doubles& values) {
  const auto& a = values[static_cast<std::size_t>(node.arguments[0])];
  const auto& b = values[static_cast<std::size_t>(node.arguments[1])];
  Terms terms(static_cast<std::size_t>(node.size));
  for (std::int64_t i = 0; i < node.size; ++i) {
    const std::int64_t row = i / node.columns, first = row / node.rows * node.inner * node.columns + i % node.columns;
    for (std::int64_t k = 0; k < node.inner; ++k)
      terms[static_cast<std::size_t>(i)].push_back(a[static_cast<std::size_t>(row * node.inner + k)] *
                                                   b[static_cast<std::size_t>(first + k * node.columns)]);
  }
  return terms;
}

/// The terms of a node that sums over `size` indices; none for other nodes.
Terms terms_of(const Node& node, const Doubles& values, std::int64_t size) {
  if (node.size == 0 || node.arguments.empty()) return {};
  if (node.op == Op::matmul) return node.inner == size ? terms_of_product(node, values) : Terms();
  const auto& from = values[static_cast<std::size_t>(node.arguments[0])];
  Terms terms(static_cast<std::size_t>(node.size));
  if (node.op == Op::scatter) {
    for (std::size_t j = 0; j < from.size(); ++j) terms[static_cast<std::size_t>(node.index[j])].push_back(from[j]);
  } else if (node.op == Op::sum) {
    for (std::size_t j = 0; j < from.size(); ++j) terms[j / static_cast<std::size_t>(node.inner)].push_back(from[j]);
  }
  const bool fits = std::ranges::all_of(terms, [&](const auto& one) { return std::ssize(one) == size; });
  return fits ? terms : Terms();
}

/// The nodes whose values follow from node `n`.
std::vector<std::size_t> dependents_of(const Graph& graph, std::size_t n, std::size_t end) {
  std::set<std::int32_t> moved{static_cast<std::int32_t>(n)};
  std::vector<std::size_t> dependents;
  for (std::size_t m = n + 1; m < end; ++m)
    if (std::ranges::any_of(graph.nodes[m].arguments, [&](auto argument) { return moved.contains(argument); })) {
      moved.insert(static_cast<std::int32_t>(m));
      dependents.push_back(m);
    }
  return dependents;
}

void recompute(const Node& node, Doubles& values, std::size_t n) {
  auto& result = values[n];
  if (reference::formula::detail::is_computed_whole(node.op)) {
    result = reference::formula::detail::computed_whole<double>(node, values);
    return;
  }
  for (std::size_t i = 0; i < result.size(); ++i) result[i] = reference::formula::detail::element(node, values, i);
}

/// Whether every kernel within the bounds of `changed` would be outside of those of `exact`. NaN is.
bool tells_apart(double exact, double changed, double bound) {
  constexpr double work = 0x1p-40;  // of this file, which computes in double
  return std::isfinite(bound) && !(std::abs(changed - exact) <= 2 * bound + work * std::abs(exact));
}

/// The axis of this size, or -1; all other extents of a needle case are smaller.
int axis_of_size(const std::vector<std::int64_t>& shape, std::int64_t size) {
  const auto found = std::ranges::find(shape, size);
  return found == shape.end() ? -1 : static_cast<int>(found - shape.begin());
}

}  // namespace

void Power::take(const Subject& subject, const Case& c, bool gradient) {
  gradient_ = gradient;
  const auto traced = subject.trace(c.extents);
  const auto shared = truth_of(gradient ? subject : without_backward(subject), c);
  const Truth& truth = *shared;
  const auto& results = gradient ? traced->gradients : traced->graph.outputs;
  const Doubles& bounds = gradient ? truth.gradient_bounds : truth.output_bounds;
  const auto shapes = gradient ? gradient_shapes(subject, c) : traced->shapes;

  for (std::size_t k = 0; k < results.size(); ++k) {
    const auto& exact = truth.values[static_cast<std::size_t>(results[k])];
    const int axis = axis_of_size(shapes[k], size_);
    for (std::size_t i = 0; axis >= 0 && i < exact.size(); ++i)
      if (tells_apart(exact[i], 0, bounds[k][i] / 2))
        elements_[static_cast<std::size_t>(coordinate(i, shapes[k], axis))] = true;
  }

  Doubles changed = truth.values;
  const auto is_noticed = [&](const std::vector<std::size_t>& dependents) {
    for (const std::size_t m : dependents) recompute(traced->graph.nodes[m], changed, m);
    for (std::size_t k = 0; k < results.size(); ++k) {
      const auto node = static_cast<std::size_t>(results[k]);
      for (std::size_t i = 0; i < bounds[k].size(); ++i)
        if (tells_apart(truth.values[node][i], changed[node][i], bounds[k][i])) return true;
    }
    return false;
  };
  for (std::size_t n = 0; n < truth.values.size(); ++n) {
    const Terms terms = terms_of(traced->graph.nodes[n], truth.values, size_);
    if (terms.empty()) continue;
    const auto dependents = dependents_of(traced->graph, n, truth.values.size());
    Sum& sum = sums_[static_cast<std::int32_t>(n)];
    sum.line = traced->graph.nodes[n].line;
    auto& marked = sum.noticed;
    marked.resize(static_cast<std::size_t>(size_), false);
    std::map<std::vector<double>, bool> known;  // many indices have equal terms
    for (std::size_t index = 0; index < marked.size(); ++index) {
      if (marked[index]) continue;  // by another case
      std::vector<double> left_out;
      for (const auto& one : terms) left_out.push_back(one[index]);
      const auto [entry, is_new] = known.try_emplace(left_out, false);
      if (is_new) {
        for (std::size_t i = 0; i < left_out.size(); ++i) changed[n][i] = truth.values[n][i] - left_out[i];
        entry->second = is_noticed(dependents);
      }
      marked[index] = entry->second;
    }
    changed = truth.values;
  }
}

std::int64_t Power::elements() const {
  return std::ranges::count(elements_, true);
}

std::int64_t Power::terms() const {
  std::int64_t least = -1;
  for (const auto& [node, sum] : sums_) {
    const auto count = std::ranges::count(sum.noticed, true);
    if (!gradient_ || count > 0) least = least < 0 ? count : std::min(least, count);
  }
  return std::max<std::int64_t>(least, 0);
}

std::vector<std::string> Power::hidden() const {
  std::vector<std::string> lines;
  for (const auto& [node, sum] : sums_) {
    const auto count = std::ranges::count(sum.noticed, true);
    if (count < size_ && (!gradient_ || count > 0))
      lines.push_back(fmt::format("{} of the {} terms of the sum in {}", count, size_,
                                  sum.line > 0 ? fmt::format("line {}", sum.line) : "the gradient"));
  }
  return lines;
}

}  // namespace assay::validation::formula
