#include "validation/formula/shares.h"

#include <algorithm>
#include <cmath>

namespace assay::validation::formula {

Original original_of(const Graph& graph, std::int32_t number, std::size_t i) {
  const Node& node = graph.nodes[static_cast<std::size_t>(number)];
  if (node.op != Op::gather) return {number, i};
  std::int64_t from = node.index[i];
  for (const auto argument : node.arguments) {
    if (from < graph.size_of(argument)) return original_of(graph, argument, static_cast<std::size_t>(from));
    from -= graph.size_of(argument);
  }
  return {number, i};
}

/// The node beyond broadcasts, slices and transposes.
std::int32_t Shares::source(std::int32_t number) const {
  const Node& node = graph_.nodes[static_cast<std::size_t>(number)];
  return node.op == Op::gather && node.arguments.size() == 1 ? source(node.arguments[0]) : number;
}

/// The argument by which a quotient divides, if that is the sum of these exponentials; or -1.
std::int32_t Shares::divided_by(const Node& node, std::int32_t exponential) const {
  if (node.op != Op::divide) return -1;
  const Node& sum = graph_.nodes[static_cast<std::size_t>(source(node.arguments[1]))];
  return sum.op == Op::sum && source(sum.arguments[0]) == exponential ? node.arguments[1] : -1;
}

void Shares::begin(std::size_t n) {
  const Node& node = graph_.nodes[n];
  auto& shares = shares_.emplace_back();
  const auto fill = [&](const auto& share_of) {
    for (std::size_t i = 0; i < static_cast<std::size_t>(node.size); ++i) shares.push_back(share_of(i));
  };
  const bool is_product = node.op == Op::multiply || node.op == Op::divide;
  for (std::size_t k = 0; is_product && k < 2; ++k) {  // e / s, or e times a quotient by s
    const std::int32_t from = source(node.arguments[k]);
    if (graph_.nodes[static_cast<std::size_t>(from)].op != Op::exp || (node.op == Op::divide && k == 1)) continue;
    const Node& factor = graph_.nodes[static_cast<std::size_t>(source(node.arguments[1 - k]))];
    if (divided_by(node.op == Op::divide ? node : factor, from) >= 0)
      return fill([&](std::size_t i) { return own(node, i, k); });
  }
  const auto has_shares = [&](std::int32_t argument) {
    return !shares_[static_cast<std::size_t>(source(argument))].empty();
  };
  const bool keeps = is_product || node.op == Op::negative || node.op == Op::add || node.op == Op::subtract;
  if (keeps && std::ranges::any_of(node.arguments, has_shares)) fill([&](std::size_t i) { return scaled(node, i); });
}

Share Shares::own(const Node& node, std::size_t i, std::size_t exponential) const {
  const auto number = [](std::int32_t one) { return static_cast<std::size_t>(one); };
  const bool is_quotient = node.op == Op::divide;
  const Original factor = original_of(graph_, node.arguments[1 - exponential], i);
  const Original sum =
      is_quotient ? factor : original_of(graph_, graph_.nodes[number(factor.node)].arguments[1], factor.element);
  const double s = values_[number(sum.node)][sum.element], error = errors_[number(sum.node)][sum.element];
  const double times = is_quotient ? 1 / s : std::abs(values_[number(factor.node)][factor.element]);
  return {times * s, 2 * times * error};  // of the others, and of the sum that divides them
}

Share Shares::scaled(const Node& node, std::size_t i) const {
  for (std::size_t k = 0; k < node.arguments.size(); ++k) {
    const Share share = at(node.arguments[k], i);
    if (share.whole == 0) continue;
    if (node.op != Op::multiply && node.op != Op::divide) return share;
    if (node.op == Op::divide && k == 1) return {};
    const auto other = static_cast<std::size_t>(node.arguments[1 - k]);
    const double factor = std::abs(node.op == Op::divide ? 1 / values_[other][i] : values_[other][i]);
    return {share.whole * factor, share.others * factor};
  }
  return {};
}

Share Shares::at(std::int32_t node, std::size_t i) const {
  const Original original = original_of(graph_, node, i);
  const auto& shares = shares_[static_cast<std::size_t>(original.node)];
  return shares.empty() ? Share{} : shares[original.element];
}

double Shares::larger_error(const Share& share, double b, double error) {
  constexpr double near = 1e-6;  // the whole is computed here in double, from an upstream that may be rounded
  const bool is_whole = share.whole > 0 && std::abs(std::abs(b) - share.whole) <= near * share.whole;
  return is_whole ? std::max(error, share.others) : error;
}

}  // namespace assay::validation::formula
