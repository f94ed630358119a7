// The gradient with respect to the logits in two steps, as Eesen computes it, in its order of operations:
//
//   E^t_k      = dL/dy^t_k = -exp{ ln sum_{s in lab(l,k)} alpha_t(s) beta_t(s) - (ln p(l|x) + 2 ln y^t_k) }
//   E^t_k      <- E^t_k y^t_k
//   r^t        = sum_k E^t_k
//   dL/da^t_k  = E^t_k - y^t_k r^t              through the softmax, dy_j/da_k = y_j (delta_jk - y_k)
//
// alpha and beta including y_t, as weights: over LogNumber the first line is computed as it stands, over other numbers
// as -sum / (p y^2). Equal to gradient_wrt_logits in exact arithmetic; in rounded arithmetic y^2 may underflow first.
#pragma once

#include <cstdint>

#include "reference/ctc/gradient.h"
#include "reference/ctc/labels.h"
#include "reference/ctc/weights.h"
#include "reference/matrix.h"
#include "reference/number/traits.h"

namespace assay::reference {

/// E = dL/dy [T, C]. An output of 0 gets error 0, whatever the true derivative: the next step multiplies it by 0.
template <class Weight>
auto two_step_output_error(const Matrix<Weight>& y, Expanded labels, const Matrix<Weight>& alpha,
                           const Matrix<Weight>& beta, const Weight& p) {
  using Traits = NumberTraits<Weight>;
  using Scalar = typename Traits::Scalar;
  const Matrix<Weight> sum = sum_over_states(alpha, beta, labels, y.cols());
  Matrix<Scalar> error(y.rows(), y.cols());
  for (std::int64_t t = 0; t < y.rows(); ++t)
    for (std::int64_t k = 0; k < y.cols(); ++k)
      if (!Traits::is_zero(y(t, k))) error(t, k) = -Traits::value(sum(t, k) / (p * (y(t, k) * y(t, k))));
  return error;
}

/// dL/da [T, C] from E and y, both [T, C]: the error carried back through the softmax.
template <class Number>
Matrix<Number> softmax_backward(Matrix<Number> error, const Matrix<Number>& y) {
  for (std::int64_t t = 0; t < y.rows(); ++t) {
    Number row_sum(0);
    for (std::int64_t k = 0; k < y.cols(); ++k) {
      error(t, k) *= y(t, k);
      row_sum += error(t, k);
    }
    for (std::int64_t k = 0; k < y.cols(); ++k) error(t, k) -= y(t, k) * row_sum;
  }
  return error;
}

/// dL/da [T, C] by both steps.
template <class Weight>
auto gradient_wrt_logits_two_step(const Matrix<Weight>& y, Expanded labels, const Matrix<Weight>& alpha,
                                  const Matrix<Weight>& beta, const Weight& p) {
  return softmax_backward(two_step_output_error(y, labels, alpha, beta, p), values(y));
}

}  // namespace assay::reference
