// Checks the gradient of any function that is a template over number types:
//
//   const auto f = []<class Number>(const std::vector<Number>& x) { return log(x[0] * x[0] + exp(x[1])); };
//   const GradcheckRecord record = check_gradient(f, x, gradient, {.dtype = Dtype::float32});
//
// f is called with BigFloat (reference/number/big_float.h) and with Dual (dual.h). The expected gradient comes from
// dual numbers and from central differences, both at 100 digits, which must agree. The bound on element i, with u and
// v the unit roundoff of the gradient's type and E_i the running error of dual numbers in units of u:
//
//   4 u E_i + v |g_i|                  or, where options.tolerance is given, options.tolerance u |g_i|
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "validation/gradcheck/dual.h"
#include "validation/gradcheck/exact.h"

namespace assay::validation {

/// The gradient of f at x by forward mode, one input after the other, at the current precision.
template <class Function>
DualGradient dual_gradient(const Function& f, std::span<const double> x) {
  DualGradient gradient;
  for (std::size_t i = 0; i < x.size(); ++i) {
    std::vector<Dual> inputs;
    for (std::size_t j = 0; j < x.size(); ++j) inputs.push_back(Dual::input(reference::BigFloat(x[j]), i == j ? 1 : 0));
    const Dual value = f(std::as_const(inputs));
    gradient.derivative.push_back(value.derivative());
    gradient.error.push_back(value.derivative_error());
  }
  return gradient;
}

/// Checks the claimed gradient [n] of f at x [n]. Throws as check_exact does (exact.h).
template <class Function>
GradcheckRecord check_gradient(const Function& f, std::span<const double> x, std::span<const double> gradient,
                               const ExactOptions& options = {}) {
  const reference::PrecisionScope scope(options.digits);
  const ExactFunction exact = [&](const std::vector<reference::BigFloat>& at) { return f(at); };
  return check_exact(exact, x, gradient, options, dual_gradient(f, x));
}

}  // namespace assay::validation
