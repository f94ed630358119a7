#include "validation/formula/given_results.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "validation/core/number.h"
#include "validation/formula/casts.h"
#include "validation/formula/shares.h"

namespace assay::validation::formula {

using reference::BigFloat;

Doubles exact_values(const Graph& graph, const InputArrays& arrays, int digits) {
  const reference::PrecisionScope scope(digits * 3 / 2);
  Doubles values;
  reference::formula::evaluate<BigFloat>(
      graph, [&](const std::string& name) { return arrays.at(name); },
      [&](const Node&, const std::vector<BigFloat>& exact) {
        auto& node = values.emplace_back();
        for (const BigFloat& x : exact) node.push_back(to_double(x));
      },
      graph.outputs);
  return values;
}

GivenResults::GivenResults(const Subject& subject, const Case& c, const Traced& traced, const Doubles& got)
    : graph_{{traced.graph.nodes.begin(), traced.graph.nodes.begin() + traced.formula_nodes}, traced.graph.outputs} {
  for (std::size_t i = 0; i < c.arrays.size(); ++i) arrays[subject.specification.inputs[i].name] = c.arrays[i];
  const Doubles exact = exact_values(graph_, arrays, subject.digits);
  for (std::size_t k = 0; k < graph_.outputs.size(); ++k) give(k, got[k], exact);
}

Graph GivenResults::without(std::size_t k) const {
  Graph graph = graph_;
  const std::string own = fmt::format("result {}", k);
  for (const auto& [number, node] : given_)
    if (node.name != own) graph.nodes[static_cast<std::size_t>(number)] = node;
  return graph;
}

/// A result may be a copy in another order, such as a transposed scale.
void GivenResults::give(std::size_t k, const std::vector<double>& got, const Doubles& exact) {
  const std::int32_t number = graph_.outputs[k];
  std::vector<std::int64_t> places(got.size(), -1);
  std::int32_t base = number;
  if (!got.empty()) base = original_of(graph_, number, 0).node;
  for (std::size_t i = 0; i < got.size(); ++i) {
    const Original original = original_of(graph_, number, i);
    if (original.node != base) return;
    places[i] = static_cast<std::int64_t>(original.element);
  }
  Node& node = graph_.nodes[static_cast<std::size_t>(base)];
  if (node.op == Op::input || node.op == Op::constant || !is_used(base)) return;
  std::vector<double> values(static_cast<std::size_t>(node.size), std::nan(""));
  for (std::size_t i = 0; i < got.size(); ++i) values[static_cast<std::size_t>(places[i])] = got[i];
  if (std::ranges::any_of(values, [](double x) { return std::isnan(x); })) return;  // not all of it is returned
  Node input{Op::input, node.size};
  input.name = fmt::format("result {}", k);
  input.is_rounded = cast_of(graph_, base) == nullptr;  // numbers of a small format are what they are
  input.is_whole = !input.is_rounded;
  input.values = exact[static_cast<std::size_t>(base)];
  arrays[input.name] = std::move(values);
  given_.emplace_back(base, std::move(input));
}

/// Whether another result is computed from the node by more than a copy.
bool GivenResults::is_used(std::int32_t base) const {
  return std::ranges::any_of(graph_.nodes, [&](const Node& node) {
    return node.op != Op::gather && std::ranges::any_of(node.arguments, [&](auto argument) {
             return graph_.size_of(argument) > 0 && original_of(graph_, argument, 0).node == base;
           });
  });
}

}  // namespace assay::validation::formula
