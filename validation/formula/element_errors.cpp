#include "validation/formula/element_errors.h"

#include <algorithm>
#include <cmath>

#include "validation/formula/functions.h"

namespace assay::validation::formula {
namespace {

// Another road may meet values that are larger than the formula's: a quotient taken last, a weight applied first.
constexpr double headroom = 0x1p-12;

double finite_part(Operand a) {
  return std::isfinite(a.value) ? a.error : a.error > 0 ? infinity : 0;
}

/// Whether rounding can change neither the sign nor, of a 0, an infinity or NaN, the kind.
bool is_sure(Operand x) {
  return x.error == 0 || std::abs(x.value) > x.error;
}

}  // namespace

double usable_largest(const NumberFormat& format) {
  const bool has_range_to_spare = format.largest >= 0x1p20;  // float16 has none
  return has_range_to_spare ? format.largest * headroom : format.largest;
}

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
    case Op::power:
      return power(a, b, value);
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

/// Kernels take exp(p log x), which loses what the size of p log x is worth, or multiply and divide p times.
double ElementErrors::power(Operand x, Operand p, double value) const {
  const double function = rounding(value, 2 * exp_error_);
  const bool is_end = x.value == 0 || !std::isfinite(x.value) || !std::isfinite(p.value);
  if (is_end && x.error == 0 && is_sure(p)) return function;
  const double size = std::abs(x.value), exponent = std::abs(p.value);
  const bool is_whole = p.error == 0 && p.value == std::trunc(p.value);
  if (x.value < 0 && !is_whole) return infinity;  // NaN, or the choice of a sign
  if (size <= x.error) return power_near_zero(x, p, value) + function;
  const double logarithm = std::abs(std::log(size)), moved = -std::log1p(-x.error / size);
  const double carried = (exponent + p.error) * moved + p.error * logarithm;
  const double work = (exp_error_ + 2 * roads) * exponent * logarithm + (is_whole ? exponent : 0);
  return std::abs(value) * std::expm1(carried + work * format_.roundoff) + function + 2 * format_.smallest;
}

/// The base may be 0. Below 0 whole exponents alone have a power.
double ElementErrors::power_near_zero(Operand x, Operand p, double value) {
  const bool is_whole = p.error == 0 && p.value == std::trunc(p.value);
  if (!(p.value > p.error) || (!is_whole && x.value < x.error)) return infinity;
  const double reach = std::abs(x.value) + x.error;
  const double most = std::max(std::pow(reach, p.value - p.error), std::pow(reach, p.value + p.error));
  const bool changes_sign = is_whole && std::fmod(p.value, 2) != 0;
  return changes_sign ? most + std::abs(value) : most;
}

double ElementErrors::unary(Op op, Operand x, double value) const {
  const bool is_exact_root =
      op == Op::sqrt && x.error == 0 && std::fma(value, value, -x.value) == 0 && is_number(value);
  if (is_exact_root) return 0;
  const Function& function = function_of(op);
  if (function.inner_roundings > 0) x.error += rounding(x.value, function.inner_roundings);
  const double error =
      function.carried(x, value) + rounding(value, function.roundings + function.exp_errors * exp_error_);
  return std::isfinite(error) ? std::min(2 * function.range, error) : error;
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
  return usable_largest(format_);
}

bool ElementErrors::is_exact_sum(double a, double b, double sum) const {
  if (!std::isfinite(sum)) return true;
  const double part = sum - a;
  return (a - (sum - part)) + (b - part) == 0 && is_number(sum);
}

}  // namespace assay::validation::formula
