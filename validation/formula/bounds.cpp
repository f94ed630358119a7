#include "validation/formula/bounds.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "validation/core/sums.h"
#include "validation/formula/adjoints.h"
#include "validation/formula/casts.h"
#include "validation/formula/declared.h"
#include "validation/formula/element_errors.h"
#include "validation/formula/expression.h"
#include "validation/formula/index_errors.h"
#include "validation/formula/polynomials.h"
#include "validation/formula/reduction_errors.h"
#include "validation/formula/shares.h"

namespace assay::validation::formula {
namespace {

/// The errors of one node's elements.
class NodeErrors {
 public:
  NodeErrors(const Graph& graph, const Doubles& values, const Doubles& errors, const Doubles& underflows,
             const Arithmetic& arithmetic)
      : graph_(graph),
        values_(values),
        errors_(errors),
        underflows_(underflows),
        a_(arithmetic),
        format_(computing(arithmetic)),
        elements_(arithmetic),
        polynomials_(graph, values, errors, arithmetic),
        declared_(graph, values, arithmetic),
        indices_(values, errors) {}

  /// The node whose elements come next.
  void begin(std::size_t number) {
    is_polynomial_ = polynomials_.begin(number);
    indices_.begin(graph_.nodes[number]);
  }

  double of(std::size_t number, std::size_t i, double underflow) {
    const Node& node = graph_.nodes[number];
    const double value = values_[number][i];
    if (node.is_rounded) return value == node.values[i] ? 0 : elements_.rounding(value, 1);
    if (node.op == Op::input) return value * 0 == 0 && !node.is_whole ? with_declared(number, i, input(value)) : 0;
    if (node.op == Op::constant || node.op == Op::pi)
      return elements_.rounding(value, node.op == Op::constant && elements_.is_number(value) ? 0 : 1);
    const double error = of_operation(number, i, node.op == Op::multiply ? underflow : 0);
    if (!std::isfinite(value) && overflows(number, i)) return infinity;
    if (!std::isfinite(value)) return std::isfinite(error) || has_nan_operand(number, i) ? 0 : infinity;
    return std::isnan(error) || std::abs(value) + error > elements_.largest() ? infinity : error;
  }

  /// What underflows where factors are taken in another order: x w, before a divisor below 1 makes x w / d large again.
  double underflow(std::size_t number, std::size_t i) const {
    const Node& node = graph_.nodes[number];
    if (node.op == Op::gather) return reference::formula::detail::joined(node, underflows_, node.index[i]);
    if (node.op == Op::take) return indices_.underflow(node, i, underflows_);
    if (node.op != Op::divide && node.op != Op::multiply) return 0;
    const auto a = static_cast<std::size_t>(node.arguments[0]), b = static_cast<std::size_t>(node.arguments[1]);
    if (values_[number][i] == 0 || !std::isfinite(values_[number][i])) return 0;
    if (node.op == Op::divide) return (underflows_[a][i] + format_.smallest) / std::abs(values_[b][i]);
    return underflows_[a][i] * std::max(1.0, std::abs(values_[b][i])) +
           underflows_[b][i] * std::max(1.0, std::abs(values_[a][i]));
  }

 private:
  double with_declared(std::size_t number, std::size_t i, double error) const {
    return error + declared_.of(number, i, error);
  }

  double of_operation(std::size_t number, std::size_t i, double underflow) {
    if (!is_polynomial_)
      return with_declared(number, i, propagated(graph_.nodes[number], i, values_[number][i]) + underflow);
    const double own = polynomials_.of(i), all = with_declared(number, i, own + underflow);
    if (all > own) polynomials_.add(all - own);
    return all;
  }

  /// What a kernel reads in the place of an input.
  double input(double value) const {
    const bool is_flushed = a_.flushes_subnormals && std::abs(value) < format_.smallest;
    return is_flushed ? std::abs(value) : std::abs(value) * a_.input_roundoff;
  }

  Operand operand(const Node& node, std::size_t argument, std::size_t i) const {
    const auto number = static_cast<std::size_t>(node.arguments[argument]);
    return {values_[number][i], errors_[number][i]};
  }

  /// Whether an element is infinite, or NaN, though nothing that it is computed from surely is, and no rule makes it so,
  /// as that for x / 0 does: in a double the value is beyond the largest number.
  bool overflows(std::size_t number, std::size_t i) const {
    const Node& node = graph_.nodes[number];
    const bool may_overflow = node.op == Op::exp || node.op == Op::expm1 || node.op == Op::sum ||
                              node.op == Op::product || node.op == Op::matmul || node.op == Op::cumulative_sum ||
                              node.op == Op::add || node.op == Op::subtract || node.op == Op::multiply;
    const bool divides = node.op == Op::divide && operand(node, 1, i).value != 0;
    if (!may_overflow && !divides) return false;
    bool is_sure = false;
    for_each_operand(graph_, values_, number, i, [&](std::size_t m, std::size_t j) {
      is_sure = is_sure || (!std::isfinite(values_[m][j]) && std::isfinite(errors_[m][j]));
    });
    return !is_sure;
  }

  /// Whether the element is NaN because an operand surely is. A choice takes no operand that it does not choose.
  bool has_nan_operand(std::size_t number, std::size_t i) const {
    const Op op = graph_.nodes[number].op;
    const bool takes_all = is_unary(op) || is_binary(op) || op == Op::sum || op == Op::product || op == Op::matmul ||
                           op == Op::cumulative_sum;
    bool is_nan = false;
    if (takes_all)
      for_each_operand(graph_, values_, number, i, [&](std::size_t m, std::size_t j) {
        is_nan = is_nan || (std::isnan(values_[m][j]) && std::isfinite(errors_[m][j]));
      });
    return is_nan;
  }

  double propagated(const Node& node, std::size_t i, double value) {
    if (node.op == Op::exp) return exponential(node.arguments[0], i, value);
    if (is_unary(node.op)) return elements_.unary(node.op, operand(node, 0, i), value);
    if (node.is_share && node.op == Op::divide) return elements_.share(operand(node, 0, i), operand(node, 1, i), value);
    if (node.op == Op::equal && is_surely_extreme(node, i)) return 0;
    if (is_binary(node.op)) return elements_.binary(node.op, operand(node, 0, i), operand(node, 1, i), value);
    if (node.op == Op::where) {
      const auto choice = node.is_share ? ElementErrors::shared_choice : ElementErrors::choice;
      return choice(operand(node, 0, i), operand(node, 1, i), operand(node, 2, i));
    }
    if (node.op == Op::gather) return reference::formula::detail::joined(node, errors_, node.index[i]);
    if (node.op == Op::cast) return cast_error(node.cast, argument_of_cast(node, i), value);
    if (node.op == Op::take || is_ordering(node.op)) return indices_.of(node, i, value);
    terms_.clear();
    for (std::int64_t k = 0; k < node.inner; ++k)
      terms_.push_back(operand(node, 0, i * static_cast<std::size_t>(node.inner) + static_cast<std::size_t>(k)));
    return node.op == Op::product ? product_error(terms_, value, elements_) : extreme_error(terms_, node.op);
  }

  /// Whether "is the largest of its row", or the smallest, holds whatever the errors of the row are: all others lie apart.
  bool is_surely_extreme(const Node& node, std::size_t i) const {
    const Original most = original_of(graph_, node.arguments[1], i);
    const Node& reduction = graph_.nodes[static_cast<std::size_t>(most.node)];
    const Operand x = operand(node, 0, i);
    const bool is_largest = reduction.op == Op::largest;
    if (!is_largest && reduction.op != Op::smallest) return false;
    if (reduction.arguments[0] != node.arguments[0]) return false;
    const auto inner = static_cast<std::size_t>(reduction.inner), first = most.element * inner;
    for (std::size_t k = first; k < first + inner; ++k) {
      const Operand other = operand(node, 0, k);
      const double apart = is_largest ? x.value - other.value : other.value - x.value;
      if (k != i && !(apart > x.error + other.error)) return false;
    }
    return true;
  }

  /// A scale may be applied to a factor of what is rounded, and rounded there.
  Operand argument_of_cast(const Node& node, std::size_t i) const {
    const Operand x = operand(node, 0, i);
    return {x.value, polynomials_.before_function(node.arguments[0], i)};
  }

  /// Some compute 2^(x log2 e), and round the product; below the smallest number exp is 0 whatever the error is.
  double exponential(std::int32_t argument, std::size_t i, double value) const {
    const Operand x{values_[static_cast<std::size_t>(argument)][i], polynomials_.before_function(argument, i)};
    if (x.value == 0 && x.error == 0) return 0;
    if (std::isinf(x.value)) return x.error == 0 ? 0 : infinity;
    if (std::isinf(x.error)) return falls_below(argument, i) ? 2 * format_.smallest : infinity;
    const double error = x.error + roads * format_.roundoff * std::abs(x.value);
    const double moved = value == 0 ? std::exp(x.value + error) : value * std::expm1(error);
    return moved + value * a_.exp_error * format_.roundoff + 2 * format_.smallest;
  }

  /// Whether a value below the range surely became -inf: no step to it may have been inf - inf.
  bool falls_below(std::int32_t number, std::size_t i) const {
    const auto n = static_cast<std::size_t>(number);
    const Node& node = graph_.nodes[n];
    if (std::isfinite(errors_[n][i])) return true;
    if (node.op == Op::gather) return falls_below_joined(node, node.index[i]);
    if (!(values_[n][i] < -elements_.largest() / 2) || (!is_unary(node.op) && !is_binary(node.op))) return false;
    const auto is_finite = [&](std::int32_t one) { return std::isfinite(errors_[static_cast<std::size_t>(one)][i]); };
    const auto first = node.arguments[0], last = node.arguments.back();
    if ((node.op == Op::add || node.op == Op::subtract) && is_finite(last)) return falls_below(first, i);
    if (node.op == Op::add && is_finite(first)) return falls_below(last, i);
    return std::ranges::all_of(node.arguments, is_finite);
  }

  bool falls_below_joined(const Node& node, std::int64_t at) const {
    for (const auto argument : node.arguments) {
      if (at < graph_.size_of(argument)) return falls_below(argument, static_cast<std::size_t>(at));
      at -= graph_.size_of(argument);
    }
    return false;
  }

  const Graph& graph_;
  const Doubles& values_;
  const Doubles& errors_;
  const Doubles& underflows_;
  const Arithmetic& a_;
  NumberFormat format_;
  ElementErrors elements_;
  PolynomialErrors polynomials_;
  bool is_polynomial_ = false;
  DeclaredRoundings declared_;
  IndexErrors indices_;
  std::vector<Operand> terms_;
};

}  // namespace

Doubles errors_of(const Graph& graph, const Doubles& values, const Arithmetic& arithmetic,
                  std::span<const std::int32_t> results) {
  Doubles errors, underflows;
  errors.reserve(graph.nodes.size());
  underflows.reserve(graph.nodes.size());
  NodeErrors node_errors(graph, values, errors, underflows, arithmetic);
  Adjoints adjoints(graph, values, errors, arithmetic);
  for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
    std::vector<double> result, underflow;
    for (std::size_t i = 0; i < values[n].size(); ++i) underflow.push_back(node_errors.underflow(n, i));
    node_errors.begin(n);
    for (std::size_t i = 0; i < values[n].size(); ++i) result.push_back(node_errors.of(n, i, underflow[i]));
    const bool is_result = std::ranges::find(results, static_cast<std::int32_t>(n)) != results.end();
    errors.push_back(adjoints.sharpened(std::move(result), is_result));
    underflows.push_back(std::move(underflow));
  }
  return errors;
}

namespace {

NumberFormat format_in(const Arithmetic& arithmetic, Dtype dtype) {
  NumberFormat format = format_of(dtype);
  if (arithmetic.flushes_subnormals) format.smallest = format.smallest_normal;
  return format;
}

}  // namespace

NumberFormat computing(const Arithmetic& arithmetic) {
  return format_in(arithmetic, arithmetic.compute);
}

Dtype storage_of(const Arithmetic& arithmetic, const std::string& array) {
  const auto found = arithmetic.storages.find(array);
  return found == arithmetic.storages.end() ? arithmetic.storage : found->second;
}

double stored(double value, double error, const Arithmetic& arithmetic, Dtype storage) {
  if (!std::isfinite(value)) return error;
  const NumberFormat format = format_in(arithmetic, storage);
  if (arithmetic.flushes_subnormals && value != 0 && std::abs(value) < format.smallest) return error + format.smallest;
  if (error == 0 && rounded_to<double>(storage, value) == value) return 0;
  return error + format.roundoff * (std::abs(value) + error) + format.smallest;
}

}  // namespace assay::validation::formula
