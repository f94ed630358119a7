#include "validation/formula/computed.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "reference/number/narrow.h"
#include "validation/core/number.h"
#include "validation/formula/expression.h"

namespace assay::validation::formula {
namespace {

using reference::BigFloat;

template <class Number>
reference::formula::Values<Number> values_in(const Graph& graph, const InputArrays& inputs) {
  return reference::formula::evaluate<Number>(graph, [&](const std::string& name) {
    const auto found = inputs.find(name);
    if (found == inputs.end()) throw std::invalid_argument(fmt::format("no input {}: the formula takes it", name));
    return found->second;
  });
}

template <class Number>
Doubles doubles_in(const Graph& graph, const InputArrays& inputs) {
  Doubles doubles;
  for (const auto& node : values_in<Number>(graph, inputs)) {
    auto& one = doubles.emplace_back();
    for (const Number& x : node) one.push_back(static_cast<double>(x));
  }
  return doubles;
}

Doubles computed_in(Dtype dtype, const Graph& graph, const InputArrays& inputs) {
  switch (dtype) {
    case Dtype::float16:
      return doubles_in<reference::Half>(graph, inputs);
    case Dtype::bfloat16:
      return doubles_in<reference::BFloat16>(graph, inputs);
    case Dtype::float64:
      return doubles_in<reference::Double>(graph, inputs);
    default:
      return doubles_in<reference::Single>(graph, inputs);
  }
}

}  // namespace

Computed::Computed(const Graph& graph, const InputArrays& inputs, Dtype dtype)
    : graph_(graph),
      format_(format_of(dtype)),
      values_(computed_in(dtype, graph, inputs)),
      exact_(values_in<BigFloat>(graph, inputs)),
      errors_(values_) {
  for (std::size_t n = 0; n < values_.size(); ++n) {
    as_computed_.emplace_back(values_[n].begin(), values_[n].end());
    for (std::size_t i = 0; i < values_[n].size(); ++i) errors_[n][i] = to_double(as_computed_[n][i] - exact_[n][i]);
  }
}

int Computed::bits() const {
  return static_cast<int>(std::lround(-std::log2(format_.roundoff)));
}

double Computed::relative_error(std::size_t n, std::size_t i) const {
  return std::abs(errors_[n][i]) / std::max(std::abs(to_double(exact_[n][i])), format_.smallest_normal);
}

double Computed::rounding(std::size_t n, std::size_t i) const {
  const Node& node = graph_.nodes[n];
  if (node.op == Op::gather) return 0;
  if (node.arguments.empty()) return errors_[n][i];
  return to_double(as_computed_[n][i] - reference::formula::detail::element(node, as_computed_, i));
}

ExplainedOperation Computed::operation(std::size_t n, std::size_t i) const {
  std::string result = std::isnan(values_[n][i]) ? "NaN" : fmt::format("{:.9g}", values_[n][i]);
  if (is_finite(exact_[n][i]) && errors_[n][i] != 0) result += ", exactly " + to_decimal(exact_[n][i], 9);
  const auto number = static_cast<std::int32_t>(n);
  return {expression_of(graph_, number), line_of(graph_, number), event_of(graph_, values_, n, i, result)};
}

}  // namespace assay::validation::formula
