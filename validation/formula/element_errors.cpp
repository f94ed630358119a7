#include "validation/formula/element_errors.h"

#include <algorithm>
#include <cmath>

namespace assay::validation::formula {
namespace {

// Another road may meet values that are larger than the formula's: a quotient taken last, a weight applied first.
constexpr double headroom = 0x1p-12;

double finite_part(Operand a) {
  return std::isfinite(a.value) ? a.error : a.error > 0 ? infinity : 0;
}

double logarithm(double x, double error, double function) {
  if (error == 0) return x == 1 ? 0 : function;
  return x > error ? -std::log1p(-error / x) + function : infinity;
}

/// Whether rounding can change neither the sign nor, of a 0, an infinity or NaN, the kind.
bool is_sure(Operand x) {
  return x.error == 0 || std::abs(x.value) > x.error;
}

}  // namespace

ElementErrors::ElementErrors(const Arithmetic& arithmetic)
    : exp_error_(arithmetic.exp_error), compute_(arithmetic.compute), format_(computing(arithmetic)) {}

bool ElementErrors::is_number(double x) const {
  return !std::isfinite(x) || rounded_to<double>(compute_, x) == x;
}

double ElementErrors::rounding(double value, double count) const {
  return count == 0 || value == 0 || !std::isfinite(value)
             ? 0
             : count * (format_.roundoff * std::abs(value) + format_.smallest);
}

double ElementErrors::binary(Op op, Operand a, Operand b, double value) const {
  const bool exact = a.error == 0 && b.error == 0;
  const double near = std::abs(a.value - b.value) > a.error + b.error || exact ? 0 : 1;
  switch (op) {
    case Op::multiply:  // an infinity times what is surely not 0 is infinite, and times 0 it is NaN
      return is_sure(a) && is_sure(b) ? 0 : infinity;
    case Op::divide:
      return quotient(a, b, value);
    case Op::maximum:
    case Op::minimum:
      return std::max(finite_part(a), finite_part(b));
    case Op::logaddexp:
      return log_sum(a, b, value);
    default:
      return near;
  }
}

double ElementErrors::quotient(Operand a, Operand b, double value) const {
  if (!std::isfinite(a.value)) return is_sure(a) && is_sure(b) ? 0 : infinity;
  if (b.value == 0 && b.error == 0) return is_sure(a) ? 0 : infinity;
  if (std::abs(b.value) <= b.error) return infinity;  // 0 / 0, or NaN
  const double carried = (a.error + (b.error == 0 ? 0 : std::abs(value) * b.error)) / (std::abs(b.value) - b.error);
  int exponent = 0;  // a power of two alone has an exact reciprocal
  const bool is_exact =
      a.error == 0 && b.error == 0 && std::abs(std::frexp(b.value, &exponent)) == 0.5 && is_number(value);
  const double underflow = value == 0 ? 0 : format_.smallest;  // of the numerator, multiplied by another factor first
  return carried + (is_exact ? 0 : rounding(value, roads + 1) + underflow / std::abs(b.value));
}

double ElementErrors::log_sum(Operand a, Operand b, double value) const {
  if (!std::isfinite(value)) return std::max(finite_part(a), finite_part(b));
  const double apart = std::abs(a.value - b.value);
  const double share = std::isfinite(apart) ? std::exp(-std::max(0.0, apart - a.error - b.error)) : 0;
  const double u = format_.roundoff;
  const double sum = std::min(roads * u, share);  // where 1 is added and the logarithm taken after
  const double work = share == 0 ? 0 : (2 * exp_error_ + roads) * std::min(1.0, share * (1 + apart)) * u + sum;
  return std::max(finite_part(a), finite_part(b)) + work + (share == 0 ? 0 : rounding(value, roads));
}

double ElementErrors::unary(Op op, Operand x, double value) const {
  const double function = rounding(value, exp_error_);
  switch (op) {
    case Op::negative:
    case Op::abs:
      return x.error;
    case Op::sign:
      return std::isinf(x.error) ? infinity : std::abs(x.value) > x.error || x.error == 0 ? 0 : 2;
    case Op::expm1:
      if (std::isinf(x.value)) return x.error;
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

double ElementErrors::root(Operand x, double value) const {
  if (x.error == 0 && std::fma(value, value, -x.value) == 0 && is_number(value)) return 0;
  const double carried = x.error == 0 ? 0 : x.error / (value + std::sqrt(std::max(0.0, x.value - x.error)));
  return std::isfinite(carried) ? carried + rounding(value, roads) : std::sqrt(x.value + x.error);
}

double ElementErrors::share(Operand tie, Operand ties, double value) const {
  const bool is_decided = tie.error == 0 && (tie.value == 0 || (ties.error == 0 && ties.value == 1));
  return is_decided ? rounding(value, tie.value == 0 ? 0 : 1) : std::max(value, 1 - value);
}

double ElementErrors::choice(Operand condition, Operand a, Operand b) {
  if (!(condition.error < infinity)) return infinity;  // it may be NaN, and neither is taken
  if (condition.error == 0) return condition.value > 0 ? a.error : b.error;
  return (a.value == b.value ? 0 : std::abs(a.value - b.value)) + std::max(a.error, b.error);
}

double ElementErrors::shared_choice(Operand share, Operand a, Operand b) {
  const bool is_tie = share.error == 0 && share.value == 0.5;
  return is_tie ? std::abs(a.value - b.value) / 2 + std::max(a.error, b.error) : choice(share, a, b);
}

double ElementErrors::largest() const {
  const bool has_range_to_spare = format_.largest >= 0x1p20;  // float16 has none
  return has_range_to_spare ? format_.largest * headroom : format_.largest;
}

bool ElementErrors::is_exact_sum(double a, double b, double sum) const {
  if (!std::isfinite(sum)) return true;
  const double part = sum - a;
  return (a - (sum - part)) + (b - part) == 0 && is_number(sum);
}

}  // namespace assay::validation::formula
