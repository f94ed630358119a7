#include "validation/formula/joins.h"

#include <algorithm>
#include <set>

namespace assay::validation::formula {

using reference::formula::Node;
using reference::formula::Op;

bool is_any_sum(Op op) {
  return op == Op::add || op == Op::subtract || op == Op::negative || op == Op::sum || op == Op::matmul ||
         op == Op::scatter || op == Op::add_at || op == Op::cumulative_sum;
}

bool Joins::begin(std::size_t n) {
  inputs_.push_back(inputs_of(n));
  const Node& sum = graph_.nodes[n];
  if (sum.op == Op::add || sum.op == Op::subtract) return may_join(sum.arguments);
  return sum.op == Op::scatter && node(sum.arguments[0]).op == Op::gather && may_join(node(sum.arguments[0]).arguments);
}

bool Joins::may_join(const std::vector<std::int32_t>& operands) const {
  constexpr std::size_t most = 8;  // of more, each with each, the search would take long
  if (operands.size() < 2 || operands.size() > most) return false;
  return std::ranges::all_of(operands, [&](std::int32_t a) {
    return std::ranges::all_of(operands, [&](std::int32_t b) { return a == b || may_join(a, b); });
  });
}

std::uint64_t Joins::inputs_of(std::size_t n) const {
  if (graph_.nodes[n].op == Op::input) return std::uint64_t{1} << (n % 64);
  std::uint64_t inputs = 0;
  for (const auto argument : graph_.nodes[n].arguments) inputs |= inputs_[static_cast<std::size_t>(argument)];
  return inputs;
}

/// What a node's elements are copies of, some of them 0 where a maximum's share holds them back; -1: of no one node.
std::int32_t Joins::copied_by(const Node& copy) const {
  if (copy.op == Op::gather && copy.arguments.size() == 1) return copy.arguments[0];
  if (copy.op != Op::where || !copy.is_share) return -1;
  return node(copy.arguments[1]).op == Op::constant ? copy.arguments[2] : copy.arguments[1];
}

Joins::Copied Joins::copied_from(std::int32_t number) const {
  Copied copied{number};
  for (std::int32_t to = copied_by(node(number)); to >= 0; to = copied_by(node(number))) {
    copied.is_broadcast = copied.is_broadcast || node(number).size > graph_.size_of(to);
    copied.is_share = copied.is_share || node(number).is_share;
    copied.from = number = to;
  }
  return copied;
}

/// Whether the terms of `a` may be added to those of `b` one by one. The shares of a maximum's adjoint that its two arguments
/// get have no term in common.
bool Joins::may_join(std::int32_t a, std::int32_t b) const {
  const auto [from, is_broadcast, is_share] = copied_from(a);
  const auto inputs = [&](std::int32_t number) { return inputs_[static_cast<std::size_t>(number)]; };
  if (is_broadcast && node(from).op != Op::input && (inputs(from) & inputs(b)) != 0) return false;
  if (!is_any_sum(node(from).op)) return true;
  if (const Copied other = copied_from(b); is_share && other.is_share && other.from == from) return true;
  return !depends_on(b, from);
}

bool Joins::depends_on(std::int32_t number, std::int32_t before) const {
  constexpr std::size_t most = 256;  // nodes to look at: what is farther away counts as dependent
  std::set<std::int32_t> open = {number};
  for (std::size_t seen = 0; !open.empty(); ++seen) {
    const std::int32_t last = *open.rbegin();
    if (last < before) return false;
    if (seen == most) return true;
    if (last == before) return last != number;
    open.erase(last);
    for (const auto argument : node(last).arguments) open.insert(argument);
  }
  return false;
}

}  // namespace assay::validation::formula
