// y_k = exp(a_k) / sum_j exp(a_j), computed as exp(a_k - m) / sum_j exp(a_j - m) with m = max_j a_j.
//
// Over LogNumber weights the same lines are the log_softmax: ln y_k = a_k - m - ln sum_j exp(a_j - m).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include "reference/number/log_number.h"
#include "reference/number/traits.h"

namespace assay::reference {

/// exp(a) for a finite or -inf `activation`, minus `shift`: the exponent is formed in the number type of the weight.
template <class Weight, class Real>
Weight exp_shifted(Real activation, Real shift) {
  using Scalar = typename NumberTraits<Weight>::Scalar;
  if (activation == -std::numeric_limits<Real>::infinity()) return Weight(0);
  Scalar exponent = NumberTraits<Scalar>::from_real(activation);
  if (shift != Real(0)) exponent -= NumberTraits<Scalar>::from_real(shift);
  return NumberTraits<Weight>::exp(exponent);
}

/// y [C] of the logits a [C], of which at least one is finite.
template <class Weight, class Real>
void softmax(std::span<const Real> logits, std::span<Weight> y) {
  const Real m = *std::max_element(logits.begin(), logits.end());
  Weight sum(0);
  for (std::size_t k = 0; k < logits.size(); ++k) {
    y[k] = exp_shifted<Weight>(logits[k], m);
    sum += y[k];
  }
  Weight inverse(1);
  inverse /= sum;
  for (Weight& element : y) element *= inverse;
}

/// ln y [C] of the logits a [C], of which at least one is finite.
template <class Number, class Real>
void log_softmax(std::span<const Real> logits, std::span<Number> log_y) {
  std::vector<LogNumber<Number>> y(logits.size());
  softmax<LogNumber<Number>, Real>(logits, y);
  for (std::size_t k = 0; k < y.size(); ++k) log_y[k] = y[k].log();
}

}  // namespace assay::reference
