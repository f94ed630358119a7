#include "validation/formula/tied_sums.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "validation/formula/shares.h"

namespace assay::validation::formula {
namespace {

using Element = std::pair<std::int32_t, std::size_t>;  ///< a node and an element of it

/// The equal largest elements of one row, beyond copies.
struct Group {
  std::size_t share = 0;  ///< the node that shares the gradient out
  std::vector<Element> elements;
};

/// The groups of a node that divides "is the largest" by how many are.
void add_groups(const Graph& graph, std::size_t share, const Doubles& values, std::vector<Group>& groups) {
  const Node& node = graph.nodes[share];
  if (values[share].empty()) return;
  const auto is_largest = static_cast<std::size_t>(node.arguments[0]);
  const std::int32_t x = graph.nodes[is_largest].arguments[0];
  const auto ties = original_of(graph, node.arguments[1], 0).node;
  const auto inner = static_cast<std::size_t>(graph.nodes[static_cast<std::size_t>(ties)].inner);
  for (std::size_t first = 0; inner > 1 && first < values[share].size(); first += inner) {
    Group group{share, {}};
    for (std::size_t i = first; i < first + inner; ++i) {
      if (values[is_largest][i] != 1) continue;
      const Original original = original_of(graph, x, i);
      group.elements.emplace_back(original.node, original.element);
    }
    if (group.elements.size() > 1) groups.push_back(std::move(group));
  }
}

bool is_of_one_input(const Graph& graph, const Group& group) {
  const std::int32_t node = group.elements.front().first;
  return graph.nodes[static_cast<std::size_t>(node)].op == Op::input &&
         std::ranges::all_of(group.elements, [&](const Element& one) { return one.first == node; });
}

/// Whether elements of `input` are among a node's, beyond copies.
bool copies(const Graph& graph, std::int32_t number, std::int32_t input) {
  const Node& node = graph.nodes[static_cast<std::size_t>(number)];
  if (node.op != Op::gather) return number == input;
  return std::ranges::any_of(node.arguments, [&](std::int32_t one) { return copies(graph, one, input); });
}

/// How many of the formula's operations take an input.
std::ptrdiff_t uses_of(const Graph& graph, std::int32_t formula_nodes, std::int32_t input) {
  return std::ranges::count_if(graph.nodes.begin(), graph.nodes.begin() + formula_nodes, [&](const Node& node) {
    return node.op != Op::gather &&
           std::ranges::any_of(node.arguments, [&](std::int32_t one) { return copies(graph, one, input); });
  });
}

/// The errors of all nodes where the shares of one node are what the graph says.
Doubles errors_without_choice(const Graph& graph, std::size_t share, const Doubles& values,
                              const Arithmetic& arithmetic, const std::vector<std::int32_t>& results) {
  Graph decided = graph;
  decided.nodes[share].is_share = false;
  return errors_of(decided, values, arithmetic, results);
}

}  // namespace

std::vector<TiedSum> tied_sums(const Graph& graph, std::int32_t formula_nodes,
                               const std::vector<std::pair<std::string, std::int32_t>>& gradients,
                               const Doubles& values, const Arithmetic& arithmetic) {
  std::vector<Group> groups;
  std::map<Element, int> rows;  // in which an element is among the largest
  for (std::size_t n = 0; n < graph.nodes.size(); ++n)
    if (graph.nodes[n].is_share && graph.nodes[n].op == Op::divide) add_groups(graph, n, values, groups);
  for (const Group& group : groups)
    for (const Element& one : group.elements) ++rows[one];
  std::vector<std::int32_t> results;
  for (const auto& [name, node] : gradients) results.push_back(node);
  std::map<std::size_t, Doubles> errors;  // by the node of the shares
  std::vector<TiedSum> sums;
  for (const Group& group : groups) {
    const std::int32_t input = group.elements.front().first;
    const bool is_alone = std::ranges::all_of(group.elements, [&](const Element& one) { return rows[one] == 1; });
    if (!is_alone || !is_of_one_input(graph, group) || uses_of(graph, formula_nodes, input) != 1) continue;
    const std::string& name = graph.nodes[static_cast<std::size_t>(input)].name;
    const auto gradient = std::ranges::find(gradients, name, &std::pair<std::string, std::int32_t>::first);
    if (gradient == gradients.end()) continue;
    if (!errors.contains(group.share))
      errors.emplace(group.share, errors_without_choice(graph, group.share, values, arithmetic, results));
    TiedSum sum{static_cast<std::size_t>(gradient - gradients.begin()), name, {}, 0};
    const auto node = static_cast<std::size_t>(gradient->second);
    for (const auto& [of, i] : group.elements) {
      sum.elements.push_back(i);
      // One element may get the whole, which is rounded as it is stored.
      const double whole = std::abs(values[node][i]) * static_cast<double>(group.elements.size());
      sum.bound += stored(whole, errors.at(group.share)[node][i], arithmetic, storage_of(arithmetic, name));
    }
    sums.push_back(std::move(sum));
  }
  return sums;
}

}  // namespace assay::validation::formula
