#include "validation/core/number.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "reference/number/decimal_point.h"
#include "reference/number/ulp.h"

namespace assay::validation {

using Traits = reference::NumberTraits<BigFloat>;

double to_double(const BigFloat& x) {
  return Traits::to_double(x);
}

bool is_nan(const BigFloat& x) {
  return Traits::is_nan(x);
}

bool is_finite(const BigFloat& x) {
  return Traits::is_finite(x);
}

bool same_kind(const BigFloat& a, const BigFloat& b) {
  if (is_nan(a) || is_nan(b)) return is_nan(a) && is_nan(b);
  return !is_finite(a) && !is_finite(b) && Traits::is_positive(a) == Traits::is_positive(b);
}

double absolute_difference(const BigFloat& a, const BigFloat& b) {
  BigFloat difference = a;
  difference -= b;
  return std::abs(to_double(difference));
}

std::string to_decimal(const BigFloat& x, int digits) {
  return Traits::to_string(x, digits);
}

namespace {

/// fmt 10 writes the exponent of the smallest normal number for 0, where fmt 9 writes 0.
template <class Real>
std::string with_hexadecimal_digits(Real value) {
  if (value == 0) return std::signbit(value) ? "-0x0p+0" : "0x0p+0";
  return reference::with_point(fmt::format("{:a}", value));
}

template <class Real>
std::string shown(Real value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return fmt::format("{}", value);
  return fmt::format("{} ({})", value, with_hexadecimal_digits(value));
}

template <class Real>
std::string error_explained(Real got, const std::string& error, double bound) {
  std::string text =
      show(got) + (std::isfinite(got) ? "\n  error    " + error : std::string(" where a finite number was due"));
  if (std::isnan(bound)) text += "\n  no bound exists for this element: its derivation gives nan";
  return text;
}

/// `rounded` is the exact value in the type of `got`, `ulp` the distance of numbers of that type there.
template <class Real>
std::string explained(Real got, Real rounded, double ulp, const BigFloat& exact, double error, double bound) {
  std::string shares = fmt::format("{:.3g}", error);
  if (!std::isnan(bound)) shares += fmt::format(" = {:.3g} x the bound {:.3g}", error / bound, bound);
  if (exact != 0 && error <= std::abs(double{rounded})) shares += fmt::format(" = {:.3g} ULP", error / ulp);
  return fmt::format("  exact    {}\n  rounded  {}\n  got      {}", to_decimal(exact, 25), show(rounded),
                     explain_error(got, shares, bound));
}

template <class Real>
std::string explained(Real got, const BigFloat& exact, double error, double bound) {
  return explained(got, static_cast<Real>(exact), double{reference::ulp<Real>(exact)}, exact, error, bound);
}

/// The distance of the numbers of `dtype` next to one of them.
double ulp_at(Dtype dtype, double value) {
  const NumberFormat format = format_of(dtype);
  const double size = std::min(std::abs(value), format.largest);
  return size < format.smallest_normal ? format.smallest : std::ldexp(2 * format.roundoff, std::ilogb(size));
}

}  // namespace

std::string hexadecimal(double value) {
  return with_hexadecimal_digits(value);
}

std::string show(float value) {
  return shown(value);
}

std::string show(double value) {
  return shown(value);
}

std::string explain_error(float got, const std::string& error, double bound) {
  return error_explained(got, error, bound);
}

std::string explain_error(double got, const std::string& error, double bound) {
  return error_explained(got, error, bound);
}

std::string explain(float got, const BigFloat& exact, double error, double bound) {
  return explained(got, exact, error, bound);
}

std::string explain(double got, const BigFloat& exact, double error, double bound) {
  return explained(got, exact, error, bound);
}

std::string explain(double got, const BigFloat& exact, double error, double bound, Dtype dtype) {
  const double rounded =
      dtype == Dtype::float32 ? double{static_cast<float>(exact)} : rounded_to<double>(dtype, to_double(exact));
  const double ulp = ulp_at(dtype, rounded);
  if (dtype == Dtype::float64) return explained(got, rounded, ulp, exact, error, bound);
  return explained(static_cast<float>(got), static_cast<float>(rounded), ulp, exact, error, bound);
}

}  // namespace assay::validation
