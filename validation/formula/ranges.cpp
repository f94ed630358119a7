#include "validation/formula/ranges.h"

#include <algorithm>
#include <cmath>

#include "validation/core/judged.h"
#include "validation/formula/functions.h"
#include "validation/formula/slopes.h"

namespace assay::validation::formula {
namespace {

/// For each element of `whole`, the element of the sum whose term it is; -1 where it is none.
std::vector<std::int64_t> sums_of(const Graph& graph, const Node& sum, std::int32_t whole) {
  std::vector<std::int64_t> owner(static_cast<std::size_t>(graph.size_of(whole)), -1);
  const std::int32_t from = sum.arguments[0];
  const Node& terms = graph.nodes[static_cast<std::size_t>(from)];
  const bool is_moved = terms.op == Op::gather && terms.arguments.size() == 1 && terms.arguments[0] == whole;
  if (from != whole && !is_moved) return owner;
  for (std::int64_t term = 0; term < terms.size; ++term)
    owner[static_cast<std::size_t>(is_moved ? terms.index[static_cast<std::size_t>(term)] : term)] = term / sum.inner;
  return owner;
}

/// Whether each element is an exponential, divided by a sum of which it is a term.
bool is_softmax(const Graph& graph, const Node& node) {
  const auto called = [&](std::int32_t number) -> const Node& { return graph.nodes[static_cast<std::size_t>(number)]; };
  const std::int32_t whole = node.arguments[0];
  const Node& divisor = called(node.arguments[1]);
  if (called(whole).op != Op::exp || divisor.op != Op::gather || divisor.arguments.size() != 1) return false;
  const Node& sum = called(divisor.arguments[0]);
  return sum.op == Op::sum && sum.inner > 0 && sums_of(graph, sum, whole) == divisor.index;
}

double range_of(const Graph& graph, const Node& node, const std::vector<double>& ranges) {
  const auto of = [&](std::size_t argument) { return ranges[static_cast<std::size_t>(node.arguments[argument])]; };
  const auto largest_from = [&](std::size_t first) {
    double largest = 0;
    for (std::size_t k = first; k < node.arguments.size(); ++k) largest = std::max(largest, of(k));
    return largest;
  };
  switch (node.op) {
    case Op::less:
    case Op::less_equal:
    case Op::equal:
      return 1;
    case Op::divide:
      return node.is_share || is_softmax(graph, node) ? 1 : no_range;
    case Op::negative:
    case Op::abs:
    case Op::gather:
    case Op::maximum:
    case Op::minimum:
      return largest_from(0);
    case Op::cast:
      if (node.cast.is_optional) return of(0);
      return node.cast.saturates
                 ? std::max(node.cast.format->largest(), -node.cast.format->at(node.cast.format->lowest()))
                 : no_range;
    case Op::sort:
    case Op::take:
      return of(0);
    case Op::where:
      return largest_from(1);
    default:
      return is_unary(node.op) ? function_of(node.op).range : no_range;
  }
}

}  // namespace

std::vector<double> ranges_of(const Graph& graph) {
  std::vector<double> ranges;
  for (const Node& node : graph.nodes) ranges.push_back(range_of(graph, node, ranges));
  return ranges;
}

Doubles sizes_of(const Graph& graph, const Doubles& values) {
  Doubles sizes;
  sizes.reserve(graph.nodes.size());
  Slopes slopes(graph, values, sizes);
  for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
    const Node& node = graph.nodes[n];
    const double share = node.op == Op::multiply || node.op == Op::matmul ? 0.5 : 1;  // a product has two derivatives
    std::vector<double> of_node;
    for (std::size_t i = 0; i < values[n].size(); ++i) {
      double size = 0;
      for (const Slope& slope : slopes.of(n, i))
        size += share * std::abs(slope.value) * sizes[static_cast<std::size_t>(slope.node)][slope.element];
      of_node.push_back(std::max(size, std::abs(values[n][i])));
    }
    sizes.push_back(std::move(of_node));
  }
  return sizes;
}

}  // namespace assay::validation::formula
