#include "validation/formula/hints.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

#include "validation/formula/declared.h"
#include "validation/formula/slopes.h"

namespace assay::validation::formula {
namespace {

// More further roundings than this are no way to write a formula, but a type with fewer digits or a fault.
constexpr double most_roundings = 8;

// Elements of a graph that is computed once for each type and name that may explain an error.
constexpr std::int64_t largest_recomputed = 20'000;

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

/// How much room in the bound of one element declarations would make, to first order.
class Rooms {
 public:
  Rooms(const Graph& graph, const Doubles& values, std::int32_t node, std::size_t element)
      : graph_(graph),
        values_(values),
        adjoints_(sensitivities(graph, values, static_cast<std::size_t>(node), element)) {}

  /// What one rounding of roundoff 1 adds, by the name of the value or of its operands.
  std::map<std::string, double> of_roundings() const {
    std::map<std::string, double> room;
    for_each_named([&](const Node& node, std::size_t n, std::size_t k, double adjoint) {
      room[node.name] += std::abs(adjoint * values_[n][k]);
      if (const double size = size_of_operands(graph_, values_, n, k); size > 0)
        room[node.name + of_operands] += std::abs(adjoint) * size;
    });
    return room;
  }

  /// What it adds that a value is kept in the type, by the value's name.
  std::map<std::string, double> of_kept(Kept type) const {
    std::map<std::string, double> room;
    for_each_named([&](const Node& node, std::size_t n, std::size_t k, double adjoint) {
      room[node.name] += std::abs(adjoint) * kept_error(type, values_[n][k], 0, false);
    });
    return room;
  }

 private:
  template <class Take>
  void for_each_named(const Take& take) const {
    for (std::size_t n = 0; n < graph_.nodes.size(); ++n) {
      const Node& node = graph_.nodes[n];
      if (node.name.empty() || node.op == Op::input) continue;
      for (std::size_t k = 0; k < values_[n].size(); ++k)
        if (adjoints_[n][k] != 0 && std::isfinite(adjoints_[n][k] * values_[n][k])) take(node, n, k, adjoints_[n][k]);
    }
  }

  const Graph& graph_;
  const Doubles& values_;
  const Doubles adjoints_;
};

std::string roundings_hint(const Rooms& rooms, double excess, const Arithmetic& arithmetic) {
  std::string name;
  double fewest = most_roundings + 1;
  for (const auto& [one, size] : rooms.of_roundings())
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

/// The result's element in float64, where `after` changes values of the graph.
template <class After>
double recomputed(const Graph& graph, const Doubles& inputs, std::int32_t result, std::size_t element,
                  const After& after) {
  std::size_t next = 0;
  const auto input = [&](const std::string&) { return inputs[next++]; };  // asked for in the graph's order
  const std::array results{result};
  return reference::formula::evaluate<double>(graph, input, after, results)
      .at(static_cast<std::size_t>(result))
      .at(element);
}

/// The values of the inputs, in the graph's order.
Doubles inputs_of(const Graph& graph, const Doubles& values) {
  Doubles inputs;
  for (std::size_t n = 0; n < graph.nodes.size(); ++n)
    if (graph.nodes[n].op == Op::input) inputs.push_back(values[n]);
  return inputs;
}

/// The graph with a copy of each factor of its products of matrices, called `copied`, and the last node of it.
const std::string copied = "a copy of a factor";

Graph with_copied_factors(const Graph& graph) {
  Graph result;
  std::vector<std::int32_t> numbers;
  for (Node node : graph.nodes) {
    for (std::int32_t& argument : node.arguments) argument = numbers[static_cast<std::size_t>(argument)];
    if (node.op == Op::matmul)
      for (std::int32_t& argument : node.arguments) {
        Node copy{Op::gather, result.size_of(argument), {argument}};
        for (std::int64_t i = 0; i < copy.size; ++i) copy.index.push_back(i);
        copy.name = copied;
        argument = result.add(std::move(copy));
      }
    numbers.push_back(result.add(std::move(node)));
  }
  return result;
}

/// How far the result is from the kernel's where the values of this name are rounded to the type.
double distance_of(const Graph& graph, const Doubles& inputs, const Excess& excess, const std::string& name,
                   Kept type) {
  const auto after = [&](const Node& node, std::vector<double>& result) {
    if (node.name != name || node.op == Op::input) return;
    for (double& x : result) x = kept(type, x);
  };
  return std::abs(recomputed(graph, inputs, excess.node, excess.element, after) - excess.got);
}

/// The name whose rounding gives what the kernel gave, and the types that do so.
std::string kept_hint(const Graph& graph, const Doubles& values, const Excess& excess, const Rooms& rooms) {
  const Doubles inputs = inputs_of(graph, values);
  std::string found;
  std::vector<std::string> types;
  double nearest = excess.bound;
  for (const Kept type : {Kept::float16, Kept::bfloat16, Kept::tf32})
    for (const auto& [name, room] : rooms.of_kept(type)) {
      if (!(excess.error - excess.bound <= room)) continue;
      const double distance = distance_of(graph, inputs, excess, name, type);
      const bool is_nearer = types.empty() ? distance <= nearest : distance < nearest;
      if (is_nearer) types.clear();
      if (is_nearer || (distance == nearest && name == found && type != Kept::tf32)) types.push_back(name_of(type));
      if (is_nearer) nearest = distance, found = name;
    }
  if (types.empty()) return "";
  return fmt::format("\n  if the kernel keeps {0} in {1}, declare rounds={{'{0}': '{2}'}}", found,
                     fmt::join(types, " or "), types[0]);
}

/// How a kernel rounds factors: to a type, or by leaving out what follows the first 11 bits.
double narrowed(Kept type, bool truncates, double x) {
  if (!truncates) return kept(type, x);
  if (!std::isfinite(x) || x == 0) return x;
  const int last = std::ilogb(x) - 10;
  return std::ldexp(std::trunc(std::ldexp(x, -last)), last);
}

std::string products_hint(const Graph& graph, const Doubles& values, const Excess& excess) {
  const bool has_products = std::ranges::any_of(graph.nodes, [](const Node& node) { return node.op == Op::matmul; });
  if (!has_products) return "";
  const Doubles inputs = inputs_of(graph, values);
  const Graph with_copies = with_copied_factors(graph);
  const auto last = static_cast<std::int32_t>(with_copies.nodes.size()) - 1;
  std::string hint;
  double nearest = excess.bound;
  for (const auto& [type, truncates] :
       {std::pair(Kept::tf32, false), std::pair(Kept::tf32, true), std::pair(Kept::bfloat16, false)}) {
    const auto after = [&](const Node& node, std::vector<double>& result) {
      if (node.name != copied) return;
      for (double& x : result) x = narrowed(type, truncates, x);
    };
    const double distance = std::abs(recomputed(with_copies, inputs, last, excess.element, after) - excess.got);
    if (!(hint.empty() ? distance <= nearest : distance < nearest)) continue;
    nearest = distance;
    hint = fmt::format("\n  if the kernel rounds the factors of products of matrices to {0}, declare products='{0}'",
                       name_of(type));
  }
  return hint;
}

/// Where numbers that become 0 explain the error, nothing else has to.
std::string subnormals_hint(const Graph& graph, const Doubles& values, const Excess& excess, Arithmetic arithmetic) {
  const double smallest_normal = format_of(arithmetic.compute).smallest_normal;
  const auto is_subnormal = [&](double x) { return x != 0 && std::abs(x) < smallest_normal; };
  const bool has_subnormal =
      std::ranges::any_of(values, [&](const auto& one) { return std::ranges::any_of(one, is_subnormal); });
  if (arithmetic.flushes_subnormals || !has_subnormal) return "";
  arithmetic.flushes_subnormals = true;
  const std::array results{excess.node};
  const auto n = static_cast<std::size_t>(excess.node);
  const double error = errors_of(graph, values, arithmetic, results)[n][excess.element];
  return excess.error <= stored(values[n][excess.element], error, arithmetic, arithmetic.storage)
             ? "\n  if the kernel takes numbers below the smallest normal one for 0, declare subnormals=False"
             : "";
}

}  // namespace

std::string hint_for(const Traced& traced, const Excess& excess, const Doubles& values, const Arithmetic& arithmetic) {
  Graph graph;  // without what comes after the result
  graph.nodes.assign(traced.graph.nodes.begin(), traced.graph.nodes.begin() + excess.node + 1);
  const Doubles until(values.begin(), values.begin() + excess.node + 1);
  if (auto hint = subnormals_hint(graph, until, excess, arithmetic); !hint.empty()) return hint;
  const Rooms rooms(graph, until, excess.node, excess.element);
  std::string hint;
  if (graph.elements() <= largest_recomputed)
    hint = kept_hint(graph, until, excess, rooms) + products_hint(graph, until, excess);
  return hint.empty() ? roundings_hint(rooms, excess.error - excess.bound, arithmetic) : hint;
}

}  // namespace assay::validation::formula
