// Sums, differences, products and quotients of two elements.
#include <algorithm>
#include <cmath>

#include "validation/core/sums.h"
#include "validation/formula/polynomials.h"

namespace assay::validation::formula {
namespace {

double times(double size, double error) {
  return error == 0 ? 0 : std::abs(size) * error;
}

}  // namespace

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
  Polynomial all{.steps = joins_ ? std::max(a.steps, b.steps) : 0, .is_read = false};
  add_terms(all, a);
  add_terms(all, b);
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

/// What a factor or divisor may underflow by if it is applied to the terms of a sum before they are added.
double PolynomialErrors::underflow_of_terms(double terms) const {
  return terms > 1 ? terms * computing_.smallest : 0;
}

PolynomialErrors::Bound PolynomialErrors::product(Operand a, Operand b, const Polynomial& of_a, const Polynomial& of_b,
                                                  double value) const {
  if (!std::isfinite(a.value) || !std::isfinite(b.value))
    return read({value, elements_.binary(Op::multiply, a, b, value)});
  Polynomial all = product_of_monomials(of_a, of_b);
  all.steps = std::max(of_a.steps, of_b.steps) + (of_a.is_read != of_b.is_read ? 1 : 0);
  make_term(all, value,
            times(a.value, of_b.rounded) + times(b.value, of_a.rounded) + times(of_a.rounded, of_b.rounded) +
                elements_.rounding(value, roads) + underflow_of_terms(all.terms));
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
  if (error != 0 || !std::isfinite(value) || value == 0 || all.is_read) {
    Bound one = read({value, error == 0 ? 0 : error + underflow_of_terms(all.terms)});
    one.polynomial.terms = all.terms;
    return one;
  }
  const double divisor = std::abs(b.value);
  all.unit /= divisor;
  all.reach /= divisor;
  make_term(all, value, all.rounded / divisor);
  return {0, all};
}

}  // namespace assay::validation::formula
