#include "validation/formula/declared.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <map>
#include <set>
#include <stdexcept>

#include "validation/formula/expression.h"
#include "validation/formula/slopes.h"

namespace assay::validation::formula {
namespace {

const std::string of_operands = ".operands";

// More further roundings than this are no way to write a formula, but a fault.
constexpr double most_roundings = 64;

bool has_operands(Op op) {
  return op == Op::sum || op == Op::cumulative_sum || op == Op::add || op == Op::subtract;
}

/// The sum of the sizes of the terms of element `i`, whose roundings reach it as they are.
double size_of_operands(const Graph& graph, const Doubles& values, std::size_t n, std::size_t i) {
  double size = 0;
  if (has_operands(graph.nodes[n].op))
    for_each_operand(graph, values, n, i, [&](std::size_t m, std::size_t j) { size += std::abs(values[m][j]); });
  return std::isfinite(size) ? size : 0;
}

/// d result / d element for all elements of all nodes, for one element of a result.
Doubles sensitivities(const Graph& graph, const Doubles& values, std::size_t n, std::size_t i) {
  Doubles all_off, adjoints;
  for (const auto& one : values) {
    all_off.emplace_back(one.size(), 0x1p-1000);  // so that every argument has a slope
    adjoints.emplace_back(one.size(), 0);
  }
  Slopes slopes(graph, values, all_off);
  adjoints[n][i] = 1;
  for (std::size_t m = n + 1; m-- > 0;)
    for (std::size_t k = 0; k < adjoints[m].size(); ++k) {
      if (adjoints[m][k] == 0) continue;
      for (const Slope& slope : slopes.of(m, k))
        adjoints[static_cast<std::size_t>(slope.node)][slope.element] += slope.value * adjoints[m][k];
    }
  return adjoints;
}

}  // namespace

void require_names(const std::vector<std::shared_ptr<const Traced>>& formulas, const Arithmetic& arithmetic) {
  std::set<std::string> known;
  for (const auto& formula : formulas)
    for (const Node& node : formula->graph.nodes) {
      if (node.name.empty()) continue;
      known.insert(node.name);
      if (has_operands(node.op)) known.insert(node.name + of_operands);
    }
  for (const auto& [name, count] : arithmetic.rounds) {
    if (!known.contains(name))
      throw std::invalid_argument(fmt::format("rounds has '{}': expected one of {}", name, fmt::join(known, ", ")));
    if (!(count >= 0))
      throw std::invalid_argument(fmt::format("rounds['{}'] = {}: expected a number of at least 0", name, count));
  }
}

DeclaredRoundings::DeclaredRoundings(const Graph& graph, const Doubles& values, const Arithmetic& arithmetic)
    : graph_(graph), values_(values), format_(computing(arithmetic)) {
  if (arithmetic.rounds.empty()) return;
  const auto count = [&](const std::string& name) {
    const auto found = arithmetic.rounds.find(name);
    return found == arithmetic.rounds.end() ? 0 : found->second;
  };
  for (const Node& node : graph.nodes)
    counts_.push_back(node.name.empty() ? Counts{} : Counts{count(node.name), count(node.name + of_operands)});
}

double DeclaredRoundings::of(std::size_t n, std::size_t i) const {
  if (counts_.empty() || !std::isfinite(values_[n][i])) return 0;
  const auto [own, operands] = counts_[n];
  const double carried = operands > 0 ? operands * size_of_operands(graph_, values_, n, i) : 0;
  return format_.roundoff * (own * std::abs(values_[n][i]) + carried) + (own + operands) * format_.smallest;
}

std::string declaration_hint(const Traced& traced, std::int32_t node, std::size_t i, const Doubles& values,
                             const Arithmetic& arithmetic, double excess) {
  Graph graph;  // without what comes after the result
  graph.nodes.assign(traced.graph.nodes.begin(), traced.graph.nodes.begin() + node + 1);
  const Doubles until(values.begin(), values.begin() + node + 1);
  const Doubles adjoints = sensitivities(graph, until, static_cast<std::size_t>(node), i);
  std::map<std::string, double> room;  // that one rounding would make
  for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
    const Node& one = graph.nodes[n];
    if (one.name.empty() || one.op == Op::input) continue;
    for (std::size_t k = 0; k < until[n].size(); ++k) {
      if (adjoints[n][k] == 0 || !std::isfinite(adjoints[n][k] * until[n][k])) continue;
      room[one.name] += std::abs(adjoints[n][k] * until[n][k]);
      if (has_operands(one.op))
        room[one.name + of_operands] += std::abs(adjoints[n][k]) * size_of_operands(graph, until, n, k);
    }
  }
  std::string name;
  double fewest = most_roundings;
  for (const auto& [one, size] : room)
    if (const double count = std::ceil(excess / (size * format_of(arithmetic.compute).roundoff)); count < fewest) {
      fewest = count;
      name = one;
    }
  if (name.empty()) return "";
  const bool operands = name.ends_with(of_operands);
  return fmt::format(
      "\n  if the kernel rounds {}{} {:.0f} times more than the formula, declare rounds={{'{}': {:.0f}}}",
      operands ? "the operands of " : "", name.substr(0, name.size() - (operands ? of_operands.size() : 0)), fewest,
      name, fewest);
}

}  // namespace assay::validation::formula
