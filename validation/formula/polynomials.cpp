#include "validation/formula/polynomials.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "validation/core/sums.h"
#include "validation/formula/reduction_errors.h"

namespace assay::validation::formula {
namespace {

/// The largest power of two that divides x; infinite for 0.
double unit_of(double x) {
  if (x == 0) return infinity;
  int exponent = 0;
  const double odd = std::frexp(std::abs(x), &exponent);
  constexpr int digits = std::numeric_limits<double>::digits;
  auto bits = static_cast<std::uint64_t>(std::ldexp(odd, digits));
  for (exponent -= digits; (bits & 1) == 0; bits >>= 1) ++exponent;
  return std::ldexp(1.0, exponent);
}

double times(double size, double error) {
  return error == 0 ? 0 : std::abs(size) * error;
}

/// What is added to it takes it as one term, off by `error`.
void make_term(Polynomial& polynomial, double value, double error) {
  polynomial.carried = polynomial.rounded = error;
  polynomial.total = std::abs(value) + error;
  polynomial.count = polynomial.total == 0 ? 0 : 1;
}

void add_monomials(Polynomial& sum, const Polynomial& term) {
  sum.unit = std::min(sum.unit, term.unit);
  sum.reach += term.reach;
  sum.has_product = sum.has_product || term.has_product;
}

Polynomial product_of_monomials(const Polynomial& a, const Polynomial& b) {
  Polynomial product{.reach = a.reach * b.reach, .is_read = false, .has_product = a.has_product || b.has_product};
  if (product.reach != 0) product.unit = a.unit * b.unit;
  return product;
}

}  // namespace

PolynomialErrors::PolynomialErrors(const Graph& graph, const Doubles& values, const Doubles& errors,
                                   const Arithmetic& arithmetic)
    : graph_(graph),
      values_(values),
      errors_(errors),
      elements_(arithmetic),
      computing_(computing(arithmetic)),
      accumulating_(format_of(arithmetic.accumulate)),
      accumulate_(arithmetic.accumulate),
      products_(arithmetic.products),
      flushes_(arithmetic.flushes_subnormals),
      joins_terms_(graph),
      shares_(graph, values, errors) {}

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

/// The elements that each element of a scatter or add_at is the sum of.
void PolynomialErrors::find_sources() {
  sources_.assign(static_cast<std::size_t>(node_->size), {});
  for (std::size_t j = 0; j < node_->index.size(); ++j) {
    if (node_->op == Op::scatter) {
      sources_[static_cast<std::size_t>(node_->index[j])].push_back({j, true, true});
      continue;
    }
    const Operand at = operand(node_->arguments[1], j);
    const std::int64_t row = node_->index[j] * node_->inner;
    auto [first, last] = reference::formula::detail::between(std::ceil(at.value - at.error),
                                                             std::floor(at.value + at.error), node_->inner);
    const bool is_sure = first >= 0 && first == last;
    if (first < 0) first = 0, last = node_->inner - 1;
    for (std::int64_t k = first; k <= last; ++k)
      sources_[static_cast<std::size_t>(row + k)].push_back({j, is_sure, static_cast<double>(k) == at.value});
  }
}

Operand PolynomialErrors::operand(std::int32_t node, std::size_t i) const {
  const auto n = static_cast<std::size_t>(node);
  return {values_[n][i], errors_[n][i]};
}

PolynomialErrors::Bound PolynomialErrors::read(Operand x) {
  Bound bound{x.error};
  bound.polynomial.unit = std::isfinite(x.value) ? unit_of(x.value) : 0;
  bound.polynomial.reach = std::abs(x.value);
  make_term(bound.polynomial, x.value, x.error);
  return bound;
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

/// A kernel may round it to a narrower type first.
PolynomialErrors::Factor PolynomialErrors::factor(std::int32_t node, std::size_t i) const {
  Factor factor{operand(node, i), at(node, i)};
  if (!products_) return factor;
  const double further = kept_error(*products_, factor.x.value, factor.x.error, flushes_);
  factor.x.error += further;
  factor.polynomial.rounded += further;
  return factor;
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

bool PolynomialErrors::is_exact(const Polynomial& polynomial, const NumberFormat& format) {
  return polynomial.reach == 0 ||
         (polynomial.reach * format.roundoff <= polynomial.unit && polynomial.unit >= format.smallest &&
          polynomial.reach <= (polynomial.is_read ? format.largest : usable_largest(format)));
}

/// Roundings of partial sums, each of which may be as large as all terms together, and of the sum itself.
double PolynomialErrors::of_additions(const Polynomial& sum, double value) const {
  // In a scan by blocks, a value ends and begins one block of each level.
  const double levels = sum.steps < 3 ? 0 : std::log2(sum.steps);
  const double last = elements_.rounding(value, roads * (1 + levels));
  if (sum.count <= 2) return last;
  return sum.total > usable_largest(computing_) ? infinity
                                                : sum.total * gamma(sum.count - 2, computing_.roundoff) + last;
}

PolynomialErrors::Bound PolynomialErrors::sum_of_two(std::size_t i, double value) const {
  const Operand x = operand(node_->arguments[0], i), y = operand(node_->arguments[1], i);
  if (!std::isfinite(value)) return read({value, x.error + y.error});
  Polynomial a = at(node_->arguments[0], i), b = at(node_->arguments[1], i);
  const bool is_step = a.is_read && b.is_read, is_exact_so_far = x.error == 0 && y.error == 0;
  if (!joins_) make_term(a, x.value, a.rounded), make_term(b, y.value, b.rounded);
  a.carried = Shares::larger_error(shares_.at(node_->arguments[0], i), y.value, a.carried);
  b.carried = Shares::larger_error(shares_.at(node_->arguments[1], i), x.value, b.carried);
  Polynomial all{.carried = a.carried + b.carried,
                 .total = a.total + b.total,
                 .count = a.count + b.count,
                 .steps = joins_ ? std::max(a.steps, b.steps) : 0,
                 .is_read = false};
  add_monomials(all, a);
  add_monomials(all, b);
  const double sign = node_->op == Op::add ? 1 : -1;
  const bool is_exact_here =
      is_exact_so_far && (is_step ? elements_.is_exact_sum(x.value, sign * y.value, value) : is_exact(all, computing_));
  if (is_exact_here && is_step && !joins_) return read({value, 0});
  all.rounded = all.carried + of_additions(all, value);
  if (!joins_) make_term(all, value, all.rounded);
  return {is_exact_here ? 0 : all.rounded, all};
}

PolynomialErrors::Bound PolynomialErrors::product(Operand a, Operand b, const Polynomial& of_a, const Polynomial& of_b,
                                                  double value) const {
  if (!std::isfinite(a.value) || !std::isfinite(b.value))
    return read({value, elements_.binary(Op::multiply, a, b, value)});
  Polynomial all = product_of_monomials(of_a, of_b);
  all.steps = std::max(of_a.steps, of_b.steps) + (of_a.is_read != of_b.is_read ? 1 : 0);
  make_term(all, value,
            times(a.value, of_b.rounded) + times(b.value, of_a.rounded) + times(of_a.rounded, of_b.rounded) +
                elements_.rounding(value, roads));
  return {a.error == 0 && b.error == 0 && is_exact(all, computing_) ? 0 : all.rounded, all};
}

/// By a power of two it is exact, and what was added before may be divided before.
PolynomialErrors::Bound PolynomialErrors::quotient(std::size_t i, double value) const {
  Operand a = operand(node_->arguments[0], i);
  const Operand b = operand(node_->arguments[1], i);
  if (!is_constant(node_->arguments[1], i)) a.error = before_function(node_->arguments[0], i);
  if (node_->is_slope && b.value == 0) return read({value, infinity});  // there is no derivative: any number is right
  const double error = elements_.binary(Op::divide, a, b, value);
  Polynomial all = at(node_->arguments[0], i);
  if (error != 0 || !std::isfinite(value) || value == 0 || all.is_read) return read({value, error});
  const double divisor = std::abs(b.value);
  all.unit /= divisor;
  all.reach /= divisor;
  make_term(all, value, all.rounded / divisor);
  return {0, all};
}

PolynomialErrors::Bound PolynomialErrors::sum(std::size_t i, double value) {
  Polynomial all{.is_read = false}, one;
  bool is_exact_so_far = true;
  terms_.clear();
  const auto take = [&](double term, const Bound& bound) {
    is_exact_so_far = is_exact_so_far && bound.error == 0;
    add_monomials(all, one = bound.polynomial);
    terms_.push_back({term, one.rounded});
  };
  const auto inner = static_cast<std::size_t>(node_->inner);
  if (node_->op == Op::sum) {
    for (std::size_t k = i * inner; k < (i + 1) * inner; ++k) {
      const Operand x = operand(node_->arguments[0], k);
      take(x.value, {x.error, at(node_->arguments[0], k)});
    }
  } else {
    const auto columns = static_cast<std::size_t>(node_->columns), row = i / columns;
    const std::size_t first = row / static_cast<std::size_t>(node_->rows) * inner * columns + i % columns;
    for (std::size_t k = 0; k < inner; ++k) {
      const auto [a, of_a] = factor(node_->arguments[0], row * inner + k);
      const auto [b, of_b] = factor(node_->arguments[1], first + k * columns);
      Bound one_product = product(a, b, of_a, of_b, a.value * b.value);
      if (one_product.error == 0 && of_a.is_read && of_b.is_read) one_product.polynomial.rounded = 0;
      one_product.polynomial.has_product = true;
      take(a.value * b.value, one_product);
    }
  }
  if (terms_.size() == 1 && std::isfinite(value)) return {is_exact_so_far ? 0 : one.rounded, one};
  return sum_of_terms(all, is_exact_so_far, value);
}

PolynomialErrors::Bound PolynomialErrors::scattered(std::size_t i, double value) {
  Polynomial all{.is_read = false}, one;
  bool is_exact_so_far = true;
  terms_.clear();
  for (const auto& [j, is_sure, is_here] : sources_[i]) {
    const Operand x = operand(node_->arguments[0], j);
    one = at(node_->arguments[0], j);
    if (!is_sure) make_term(one, is_here ? x.value : 0, std::abs(x.value) + x.error);
    is_exact_so_far = is_exact_so_far && x.error == 0 && is_sure;
    add_monomials(all, one);
    terms_.push_back({is_here ? x.value : 0, one.rounded});
  }
  if (terms_.size() == 1 && std::isfinite(value)) return {is_exact_so_far ? 0 : one.rounded, one};
  return sum_of_terms(all, is_exact_so_far, value);
}

/// Elements come in turn, each with one term more than the one before it in its row.
PolynomialErrors::Bound PolynomialErrors::cumulative(std::size_t i, double value) {
  if (i % static_cast<std::size_t>(node_->inner) == 0) {
    terms_.clear();
    so_far_ = {.is_read = false};
    so_far_is_exact_ = true;
  }
  const Operand x = operand(node_->arguments[0], i);
  const Polynomial one = at(node_->arguments[0], i);
  so_far_is_exact_ = so_far_is_exact_ && x.error == 0;
  add_monomials(so_far_, one);
  terms_.push_back({x.value, one.rounded});
  if (terms_.size() == 1 && std::isfinite(value)) return {so_far_is_exact_ ? 0 : one.rounded, one};
  return sum_of_terms(so_far_, so_far_is_exact_, value);
}

/// The bound on the sum of `terms_`; `all` holds the monomials of the terms.
PolynomialErrors::Bound PolynomialErrors::sum_of_terms(Polynomial all, bool are_exact, double value) const {
  const bool may_rescale = node_->op != Op::scatter && node_->op != Op::add_at && (node_->running || !are_exact);
  const SumErrors errors = sum_errors(terms_, may_rescale, accumulate_);
  const double rounded = errors.bound(accumulating_);
  if (!std::isfinite(value)) return read({value, rounded});
  make_term(all, value, rounded);
  if (node_->running) return {errors.operations == 0 && are_exact ? 0 : rounded, all};
  all.carried = errors.carried;
  all.total = errors.total;
  all.count = (all.total == 0 ? 0 : 1) + errors.operations * (accumulating_.roundoff / computing_.roundoff);
  return {are_exact && is_exact(all, accumulating_) ? 0 : rounded, all};
}

}  // namespace assay::validation::formula
