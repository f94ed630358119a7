// The exact results of a formula, at two precisions that must agree, and the bounds on a kernel's errors.
#include <cmath>
#include <future>
#include <utility>

#include "validation/core/number.h"
#include "validation/core/truth.h"
#include "validation/formula/judge.h"

namespace assay::validation::formula {
namespace {

using reference::BigFloat;
using Exact = reference::formula::Values<BigFloat>;

std::vector<double> input_called(const Subject& subject, const Case& c, const std::string& name) {
  for (std::size_t i = 0; i < subject.specification.inputs.size(); ++i)
    if (subject.specification.inputs[i].name == name) return c.arrays[i];
  return c.upstream.at(std::stoul(name.substr(std::string("upstream").size())));
}

Exact evaluated(const Subject& subject, const Graph& graph, const Case& c, int digits) {
  const reference::PrecisionScope scope(digits);
  return reference::formula::evaluate<BigFloat>(
      graph, [&](const std::string& name) { return input_called(subject, c, name); });
}

Doubles in_double(const Exact& exact) {
  Doubles values;
  for (const auto& node : exact) {
    auto& one = values.emplace_back();
    for (const BigFloat& x : node) one.push_back(to_double(x));
  }
  return values;
}

/// Far below the bound, and below a double's resolution where the result must be exact.
void require_agreement(const BigFloat& a, const BigFloat& b, double bound) {
  if (is_finite(a) && is_finite(b)) {
    const double difference = absolute_difference(a, b);
    if (difference <= 1e-3 * bound || difference <= 0x1p-60 * std::abs(to_double(b))) return;
  } else if (same_kind(a, b)) {
    return;
  }
  throw ReferenceDisagrees("the formula gives " + to_decimal(a, 12) + " and, with more digits, " + to_decimal(b, 12));
}

}  // namespace

Truth truth_of(const Subject& subject, const Case& c) {
  const auto traced = subject.trace(c.extents);
  Graph forward;
  if (!subject.backward) {  // the nodes of the gradient come after those of the formula
    forward.nodes.assign(traced->graph.nodes.begin(), traced->graph.nodes.begin() + traced->formula_nodes);
    forward.outputs = traced->graph.outputs;
  }
  const Graph& graph = subject.backward ? traced->graph : forward;
  auto beside = std::async(std::launch::async, [&] { return evaluated(subject, graph, c, subject.digits); });
  const Exact fine = evaluated(subject, graph, c, subject.digits * 3 / 2);
  const Exact coarse = beside.get();
  Doubles values = in_double(fine);
  const Doubles errors = errors_of(graph, values, subject.arithmetic);
  Truth truth;
  const auto take = [&](std::int32_t node, auto& results, Doubles& bounds) {
    const auto n = static_cast<std::size_t>(node);
    auto& bound = bounds.emplace_back();
    for (std::size_t i = 0; i < fine[n].size(); ++i) {
      bound.push_back(stored(values[n][i], errors[n][i], subject.arithmetic));
      if (std::isfinite(bound.back())) require_agreement(coarse[n][i], fine[n][i], bound.back());
    }
    results.push_back(fine[n]);
  };
  for (const auto node : graph.outputs) take(node, truth.outputs, truth.output_bounds);
  if (subject.backward)
    for (const auto node : traced->gradients) take(node, truth.gradients, truth.gradient_bounds);
  truth.values = std::move(values);
  return truth;
}

}  // namespace assay::validation::formula
