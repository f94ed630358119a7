#include "validation/formula/polynomials.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace assay::validation::formula {

PolynomialErrors::PolynomialErrors(const Graph& graph, const Doubles& values, const Doubles& errors,
                                   const Arithmetic& arithmetic)
    : graph_(graph),
      values_(values),
      errors_(errors),
      elements_(arithmetic),
      computing_(computing(arithmetic)),
      accumulating_(format_of(arithmetic.accumulate)),
      accumulate_(arithmetic.accumulate),
      int32_sums_(arithmetic.int32_sums),
      partial_(arithmetic.partial),
      products_(arithmetic.products),
      flushes_(arithmetic.flushes_subnormals),
      joins_terms_(graph),
      shares_(graph, values, errors),
      cumulative_(arithmetic.accumulate) {}

bool PolynomialErrors::begin(std::size_t n) {
  node_ = &graph_.nodes[n];
  polynomials_.emplace_back();
  shares_.begin(n);
  joins_ = joins_terms_.begin(n);
  const Op op = node_->op;
  const bool is_one = is_any_sum(op) || op == Op::multiply || op == Op::divide;
  if (!is_one || node_->is_share) return false;
  polynomials_[n].reserve(static_cast<std::size_t>(node_->size));
  if (op == Op::scatter || op == Op::add_at) find_sources();
  return true;
}

Operand PolynomialErrors::operand(std::int32_t node, std::size_t i) const {
  const auto n = static_cast<std::size_t>(node);
  return {values_[n][i], errors_[n][i]};
}

/// The argument of which the element of a choice by a share is surely a copy; -1: of none.
std::int32_t PolynomialErrors::passed_on(const Node& node, std::size_t i) const {
  if (node.op != Op::where || !node.is_share) return -1;
  const Operand share = operand(node.arguments[0], i);
  const bool is_sure = share.error == 0 && (share.value == 0 || share.value == 1);
  return is_sure ? node.arguments[share.value == 1 ? 1 : 2] : -1;
}

Polynomial PolynomialErrors::at(std::int32_t number, std::size_t i) const {
  const auto n = static_cast<std::size_t>(number);
  const Node& node = graph_.nodes[n];
  const Operand x = operand(number, i);
  if (node.op == Op::gather) {
    const Original original = original_of(graph_, number, i);
    // What is declared of a part that is cut out, or of a transposed matrix, is not an error of the original.
    if (x.error > operand(original.node, original.element).error) return read(x).polynomial;
    return at(original.node, original.element);
  }
  if (const auto passed = passed_on(node, i); passed >= 0) return at(passed, i);
  if (node.op == Op::take && errors_[static_cast<std::size_t>(node.arguments[1])][i] == 0) {
    const auto& indices = values_[static_cast<std::size_t>(node.arguments[1])];
    const std::int64_t place = reference::formula::detail::place(node, indices, i);
    if (place >= 0) return at(node.arguments[0], static_cast<std::size_t>(place));
  }
  if (polynomials_[n].empty()) return read(x).polynomial;
  const Polynomial& one = polynomials_[n][i];
  const bool is_bounded_by_adjoints = x.error > 0 && x.error < one.rounded;
  const bool may_overflow = std::isinf(x.error);
  return is_bounded_by_adjoints || may_overflow ? read(x).polynomial : one;
}

double PolynomialErrors::before_function(std::int32_t node, std::size_t i) const {
  const double error = operand(node, i).error;
  const Polynomial one = at(node, i);
  return one.has_product ? std::max(error, one.rounded) : error;
}

bool PolynomialErrors::is_constant(std::int32_t node, std::size_t i) const {
  return graph_.nodes[static_cast<std::size_t>(original_of(graph_, node, i).node)].op == Op::constant;
}

double PolynomialErrors::of(std::size_t i) {
  const std::size_t n = polynomials_.size() - 1;
  const double value = values_[n][i];
  Bound bound = of_operation(i, value);
  if (!std::isfinite(value)) bound = read({value, bound.error});
  polynomials_[n].push_back(bound.polynomial);
  return bound.error;
}

void PolynomialErrors::add(double further) {
  Polynomial& last = polynomials_.back().back();
  last.rounded += further;
  last.carried += further;
  last.total += further;
}

PolynomialErrors::Bound PolynomialErrors::of_operation(std::size_t i, double value) {
  const auto& arguments = node_->arguments;
  switch (node_->op) {
    case Op::add:
    case Op::subtract:
      return sum_of_two(i, value);
    case Op::negative:
      return {operand(arguments[0], i).error, at(arguments[0], i)};
    case Op::multiply: {
      Bound one =
          product(operand(arguments[0], i), operand(arguments[1], i), at(arguments[0], i), at(arguments[1], i), value);
      one.polynomial.has_product |= !is_constant(arguments[0], i) && !is_constant(arguments[1], i);
      return one;
    }
    case Op::divide:
      return quotient(i, value);
    case Op::scatter:
    case Op::add_at:
      return scattered(i, value);
    case Op::cumulative_sum:
      return cumulative(i, value);
    default:
      return sum(i, value);
  }
}

}  // namespace assay::validation::formula
