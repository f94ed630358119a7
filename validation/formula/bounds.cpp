#include "validation/formula/bounds.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "validation/core/sums.h"
#include "validation/formula/adjoints.h"
#include "validation/formula/declared.h"

namespace assay::validation::formula {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// Roundings of one operation that a kernel may spend: other roads to the same mathematics round a factor that the
// formula does not, a reciprocal in the place of a quotient, a rescaling (docs/formula.md, "Roads").
constexpr double roads = 2;

// Another road may meet values that are larger than the formula's: a quotient taken last, a weight applied first.
constexpr double headroom = 0x1p-12;

// An online sum multiplies what it has by an exponential whenever its maximum changes.
constexpr double rescaling_cost = 5;

struct Operand {
  double value = 0;
  double error = 0;
};

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
        declared_(graph, values, arithmetic) {}

  double of(std::size_t number, std::size_t i, double underflow) {
    const Node& node = graph_.nodes[number];
    const double value = values_[number][i];
    if (node.op == Op::input) return value * 0 == 0 ? input(value) + declared_.of(number, i) : 0;
    if (node.op == Op::constant) return rounding(value, is_number(value) ? 0 : 1);
    const double error =
        propagated(node, i, value) + (node.op == Op::multiply ? underflow : 0) + declared_.of(number, i);
    if (!std::isfinite(value)) return std::isfinite(error) ? 0 : infinity;
    return std::isnan(error) || std::abs(value) + error > most() ? infinity : error;
  }

  /// What underflows where factors are taken in another order: x w, before a divisor below 1 makes x w / d large again.
  double underflow(std::size_t number, std::size_t i) const {
    const Node& node = graph_.nodes[number];
    if (node.op == Op::gather) return reference::formula::detail::joined(node, underflows_, node.index[i]);
    if (node.op != Op::divide && node.op != Op::multiply) return 0;
    const auto a = static_cast<std::size_t>(node.arguments[0]), b = static_cast<std::size_t>(node.arguments[1]);
    if (values_[number][i] == 0 || !std::isfinite(values_[number][i])) return 0;
    if (node.op == Op::divide) return (underflows_[a][i] + format_.smallest) / std::abs(values_[b][i]);
    return underflows_[a][i] * std::max(1.0, std::abs(values_[b][i])) +
           underflows_[b][i] * std::max(1.0, std::abs(values_[a][i]));
  }

 private:
  /// What a kernel reads in the place of an input.
  double input(double value) const {
    const bool is_flushed = a_.flushes_subnormals && std::abs(value) < format_.smallest;
    return is_flushed ? std::abs(value) : std::abs(value) * a_.input_roundoff;
  }

  Operand operand(const Node& node, std::size_t argument, std::size_t i) const {
    const auto number = static_cast<std::size_t>(node.arguments[argument]);
    return {values_[number][i], errors_[number][i]};
  }

  bool is_number(double x) const { return !std::isfinite(x) || rounded_to<double>(a_.compute, x) == x; }

  /// `count` roundings of a result, and what underflows.
  double rounding(double value, double count) const {
    return count == 0 || value == 0 || !std::isfinite(value)
               ? 0
               : count * (format_.roundoff * std::abs(value) + format_.smallest);
  }

  double propagated(const Node& node, std::size_t i, double value) {
    if (node.op == Op::exp) return exponential(node.arguments[0], i, value);
    if (is_unary(node.op)) return unary(node, operand(node, 0, i), value);
    if (node.is_share) return share(operand(node, 0, i), operand(node, 1, i), value);
    if (is_binary(node.op)) return binary(node.op, operand(node, 0, i), operand(node, 1, i), value);
    if (node.op == Op::where) return choice(node, i);
    if (node.op == Op::gather) return reference::formula::detail::joined(node, errors_, node.index[i]);
    if (node.op == Op::matmul) return inner_product(node, static_cast<std::int64_t>(i));
    terms_.clear();
    for (std::int64_t k = 0; k < node.inner; ++k)
      terms_.push_back(operand(node, 0, i * static_cast<std::size_t>(node.inner) + static_cast<std::size_t>(k)));
    if (node.op == Op::sum) return sum(node.running);
    return node.op == Op::product ? product(value) : extreme(node.op);
  }

  double binary(Op op, Operand a, Operand b, double value) const {
    const bool exact = a.error == 0 && b.error == 0;
    const double near = std::abs(a.value - b.value) > a.error + b.error || exact ? 0 : 1;
    switch (op) {
      case Op::add:
      case Op::subtract:
        return a.error + b.error +
               (exact && is_exact_sum(a.value, op == Op::add ? b.value : -b.value, value) ? 0 : rounding(value, roads));
      case Op::multiply:
        return cross(a, b) +
               (exact && std::fma(a.value, b.value, -value) == 0 && is_number(value) ? 0 : rounding(value, roads));
      case Op::divide:
        return quotient(a, b, value, exact);
      case Op::maximum:
      case Op::minimum:
        return std::max(finite_part(a), finite_part(b));
      case Op::logaddexp:
        return log_sum(a, b, value);
      default:
        return near;
    }
  }

  /// The error of a tie's share. Rounding may make or break a tie, and then another element has the share.
  double share(Operand tie, Operand ties, double value) const {
    if (tie.error == 0 && (tie.value == 0 || ties.error == 0)) return rounding(value, tie.value == 0 ? 0 : 1);
    return 1;
  }

  static double finite_part(Operand a) { return std::isfinite(a.value) ? a.error : a.error > 0 ? infinity : 0; }

  /// |a b - a' b'|, where 0 times an exact infinity is NaN and needs no bound.
  static double cross(Operand a, Operand b) {
    const auto one = [](double size, double error) { return error == 0 ? 0 : std::abs(size) * error; };
    return one(a.value, b.error) + one(b.value, a.error) + one(a.error, b.error);
  }

  bool is_exact_sum(double a, double b, double sum) const {
    if (!std::isfinite(sum)) return true;
    const double part = sum - a;
    return (a - (sum - part)) + (b - part) == 0 && is_number(sum);
  }

  double quotient(Operand a, Operand b, double value, bool exact) const {
    if (b.value == 0 && b.error == 0) return a.error;
    if (std::abs(b.value) <= b.error) return infinity;  // 0 / 0, or NaN
    const double carried = (a.error + (b.error == 0 ? 0 : std::abs(value) * b.error)) / (std::abs(b.value) - b.error);
    int exponent = 0;  // a power of two alone has an exact reciprocal
    const bool is_exact = exact && std::abs(std::frexp(b.value, &exponent)) == 0.5 && is_number(value);
    const double underflow = value == 0 ? 0 : format_.smallest;  // of the numerator, multiplied by another factor first
    return carried + (is_exact ? 0 : rounding(value, roads + 1) + underflow / std::abs(b.value));
  }

  /// m + log1p(exp(-|a - b|)): the derivatives are shares that add up to 1.
  double log_sum(Operand a, Operand b, double value) const {
    if (!std::isfinite(value)) return std::max(finite_part(a), finite_part(b));
    const double apart = std::abs(a.value - b.value);
    const double share = std::isfinite(apart) ? std::exp(-std::max(0.0, apart - a.error - b.error)) : 0;
    const double work =
        share == 0 ? 0 : (2 * a_.exp_error + roads) * std::min(1.0, share * (1 + apart)) * format_.roundoff;
    return std::max(finite_part(a), finite_part(b)) + work + (share == 0 ? 0 : rounding(value, roads));
  }

  double unary(const Node& node, Operand x, double value) const {
    const double function = rounding(value, a_.exp_error);
    switch (node.op) {
      case Op::negative:
      case Op::abs:
        return x.error;
      case Op::sign:
        return std::isinf(x.error) ? infinity : std::abs(x.value) > x.error || x.error == 0 ? 0 : 2;
      case Op::expm1:
        return x.value == 0 && x.error == 0 ? 0 : (std::abs(value + 1)) * std::expm1(x.error) + function;
      case Op::log:
        return logarithm(x.value, x.error, function);
      case Op::log1p:
        return x.value == 0 && x.error == 0 ? 0 : logarithm(1 + x.value, x.error, function);
      case Op::sqrt:
        return root(x, value);
      default: {                                   // tanh, whose slope is largest where |x| is least
        if (std::isinf(x.error)) return infinity;  // the argument may be NaN
        const double least = std::tanh(std::max(0.0, std::abs(x.value) - x.error));
        return std::min(2.0, x.error * (1 - least * least) + function);
      }
    }
  }

  /// Some compute 2^(x log2 e), and round the product; below the smallest number exp is 0 whatever the error is.
  double exponential(std::int32_t argument, std::size_t i, double value) const {
    const Operand x{values_[static_cast<std::size_t>(argument)][i], errors_[static_cast<std::size_t>(argument)][i]};
    if (x.value == 0 && x.error == 0) return 0;
    if (std::isinf(x.value) && x.value < 0) return x.error == 0 ? 0 : infinity;
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
    if (!(values_[n][i] < -most() / 2) || (!is_unary(node.op) && !is_binary(node.op))) return false;
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

  /// The largest size of a value that has a bound. float16 has no range to spare.
  double most() const { return format_.largest < 0x1p20 ? format_.largest : format_.largest * headroom; }

  static double logarithm(double x, double error, double function) {
    if (error == 0) return x == 1 ? 0 : function;
    return x > error ? -std::log1p(-error / x) + function : infinity;
  }

  double root(Operand x, double value) const {
    if (x.error == 0 && std::fma(value, value, -x.value) == 0 && is_number(value)) return 0;
    const double carried = x.error == 0 ? 0 : x.error / (value + std::sqrt(std::max(0.0, x.value - x.error)));
    return std::isfinite(carried) ? carried + rounding(value, roads) : std::sqrt(x.value + x.error);
  }

  double choice(const Node& node, std::size_t i) const {
    const Operand condition = operand(node, 0, i), a = operand(node, 1, i), b = operand(node, 2, i);
    if (!(condition.error < infinity)) return infinity;  // it may be NaN, and neither is taken
    if (condition.error == 0) return condition.value > 0 ? a.error : b.error;
    return (a.value == b.value ? 0 : std::abs(a.value - b.value)) + std::max(a.error, b.error);
  }

  /// In any order, and as an online sum that rescales: docs/bounds.md, "Sums".
  double sum(bool running) {
    const double u = format_of(a_.accumulate).roundoff;
    double total = 0, carried = 0;
    bool exact = !running, non_negative = true;
    Grid grid;
    sizes_.clear();
    for (const Operand& term : terms_) {
      if (!std::isfinite(term.value)) return !(term.error <= 0) ? infinity : carried;
      const double size = std::abs(term.value) + term.error;
      sizes_.push_back(size);
      total += size;
      carried += term.error;
      exact = exact && term.error == 0;
      non_negative = non_negative && term.value >= 0;
      grid.add(term.value);
    }
    if (total > format_of(a_.accumulate).largest) return infinity;  // so may a partial sum
    if (total == 0 || (exact && grid.is_exact(total, u)) || terms_.size() < 2) return carried;
    double operations = effective_terms(sizes_, total, u) + roads;
    if (non_negative && !exact) operations += rescaling(total, u);
    return carried + total * gamma(operations, u) + format_.smallest;
  }

  double rescaling(double total, double u) {
    std::vector<Exponential> terms;
    for (const double size : sizes_) terms.push_back({size, size / total});
    return rescaling_error(terms, {rescaling_cost, u, true, infinity});
  }

  double inner_product(const Node& node, std::int64_t element) {
    const std::int64_t column = element % node.columns, row = element / node.columns;
    const std::int64_t first = row / node.rows * node.inner * node.columns + column;
    terms_.clear();
    for (std::int64_t k = 0; k < node.inner; ++k) {
      const Operand a = operand(node, 0, static_cast<std::size_t>(row * node.inner + k));
      const Operand b = operand(node, 1, static_cast<std::size_t>(first + k * node.columns));
      const double value = a.value * b.value;
      const bool exact = a.error == 0 && b.error == 0 && std::fma(a.value, b.value, -value) == 0 && is_number(value);
      terms_.push_back({value, cross(a, b) + (exact ? 0 : rounding(value, roads))});
    }
    return sum(node.running);
  }

  double product(double value) const {
    double size = 1, reach = 1;
    for (const Operand& term : terms_) {
      size *= std::abs(term.value);
      reach *= std::abs(term.value) + term.error;
    }
    return (reach - size) + rounding(value, roads * static_cast<double>(terms_.size()));
  }

  /// The largest of all errors of terms that may be the extreme one.
  double extreme(Op op) const {
    const double sign = op == Op::largest ? 1 : -1;
    double least = -infinity, error = 0;
    for (const Operand& term : terms_) least = std::max(least, sign * term.value - term.error);
    for (const Operand& term : terms_)
      if (!(sign * term.value + term.error < least)) error = std::max(error, term.error);
    return error;
  }

  const Graph& graph_;
  const Doubles& values_;
  const Doubles& errors_;
  const Doubles& underflows_;
  const Arithmetic& a_;
  NumberFormat format_;
  DeclaredRoundings declared_;
  std::vector<Operand> terms_;
  std::vector<double> sizes_;
};

/// Sums of terms that a scatter joins.
std::vector<double> scattered(const Node& node, const std::vector<double>& values, const std::vector<double>& errors,
                              double u) {
  std::vector<double> result(static_cast<std::size_t>(node.size), 0), total(result), count(result);
  for (std::size_t j = 0; j < node.index.size(); ++j) {
    const auto i = static_cast<std::size_t>(node.index[j]);
    result[i] += errors[j];
    total[i] += std::abs(values[j]) + errors[j];
    count[i] += values[j] != 0 || errors[j] != 0 ? 1 : 0;
  }
  for (std::size_t i = 0; i < result.size(); ++i)
    if (count[i] > 1) result[i] += std::isfinite(total[i]) ? total[i] * gamma(count[i] - 1, u) : infinity;
  return result;
}

}  // namespace

Doubles errors_of(const Graph& graph, const Doubles& values, const Arithmetic& arithmetic,
                  std::span<const std::int32_t> results) {
  Doubles errors, underflows;
  errors.reserve(graph.nodes.size());
  underflows.reserve(graph.nodes.size());
  NodeErrors node_errors(graph, values, errors, underflows, arithmetic);
  Adjoints adjoints(graph, values, errors, arithmetic);
  for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
    const Node& node = graph.nodes[n];
    std::vector<double> result, underflow;
    for (std::size_t i = 0; i < values[n].size(); ++i) underflow.push_back(node_errors.underflow(n, i));
    if (node.op == Op::scatter) {
      const auto from = static_cast<std::size_t>(node.arguments[0]);
      result = scattered(node, values[from], errors[from], format_of(arithmetic.accumulate).roundoff);
    } else {
      for (std::size_t i = 0; i < values[n].size(); ++i) result.push_back(node_errors.of(n, i, underflow[i]));
    }
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

double stored(double value, double error, const Arithmetic& arithmetic) {
  if (!std::isfinite(value)) return error;
  const NumberFormat format = format_in(arithmetic, arithmetic.storage);
  if (arithmetic.flushes_subnormals && value != 0 && std::abs(value) < format.smallest) return error + format.smallest;
  if (error == 0 && rounded_to<double>(arithmetic.storage, value) == value) return 0;
  return error + format.roundoff * (std::abs(value) + error) + format.smallest;
}

}  // namespace assay::validation::formula
