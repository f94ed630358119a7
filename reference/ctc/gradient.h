// The gradient of L = -ln p(l|x), directly, from alpha and the beta that includes y_t. Each function says with respect
// to what; the outputs y are [T, C], alpha and beta [T, L], the gradients [T, C].
//
//   dp/dy^t_k    = 1/(y^t_k)^2 sum_{s in lab(l,k)} alpha_t(s) beta_t(s)                      (15)
//   dL/dy^t_k    = -1/p dp/dy^t_k                                                            (13)
//   dL/dln y^t_k = y^t_k dL/dy^t_k
//   dL/da^t_k    = y^t_k - 1/(y^t_k p) sum_{s in lab(l,k)} alpha_t(s) beta_t(s)              (16)
//
// Equations of Graves et al. 2006, with alpha and beta as they are instead of scaled. In (16) the sum over k of
// dL/dln y^t_k is -1 at every t, which is where its y^t_k comes from: dL/da_k = dL/dln y_k - y_k sum_j dL/dln y_j.
#pragma once

#include <cstddef>
#include <cstdint>

#include "reference/ctc/labels.h"
#include "reference/matrix.h"
#include "reference/number/traits.h"

namespace assay::reference {

/// sum_{s in lab(l,k)} alpha_t(s) beta_t(s), [T, C]: each state is scattered to its class.
template <class Weight>
Matrix<Weight> sum_over_states(const Matrix<Weight>& alpha, const Matrix<Weight>& beta, Expanded labels,
                               std::int64_t C) {
  Matrix<Weight> sum(alpha.rows(), C);
  for (std::int64_t t = 0; t < alpha.rows(); ++t)
    for (std::int64_t s = 0; s < alpha.cols(); ++s)
      sum(t, labels[static_cast<std::size_t>(s)]) += alpha(t, s) * beta(t, s);
  return sum;
}

/// dL/dln y: minus the posterior. A class of output 0 has posterior 0.
template <class Number>
Matrix<Number> gradient_wrt_log_probs(const Matrix<Number>& y, Expanded labels, const Matrix<Number>& alpha,
                                      const Matrix<Number>& beta, const Number& p) {
  Matrix<Number> gradient = sum_over_states(alpha, beta, labels, y.cols());
  for (std::int64_t t = 0; t < y.rows(); ++t)
    for (std::int64_t k = 0; k < y.cols(); ++k)
      if (!NumberTraits<Number>::is_zero(y(t, k))) gradient(t, k) /= -y(t, k) * p;  // (13), (15)
  return gradient;
}

/// dL/da for logits a of which y is the softmax.
template <class Number>
Matrix<Number> gradient_wrt_logits(const Matrix<Number>& y, Expanded labels, const Matrix<Number>& alpha,
                                   const Matrix<Number>& beta, const Number& p) {
  Matrix<Number> gradient = gradient_wrt_log_probs(y, labels, alpha, beta, p);
  for (std::int64_t t = 0; t < y.rows(); ++t)
    for (std::int64_t k = 0; k < y.cols(); ++k) gradient(t, k) += y(t, k);  // (16)
  return gradient;
}

/// dL/dy, the outputs taken as free variables. No output may be 0: (15) divides by its square.
template <class Number>
Matrix<Number> gradient_wrt_outputs(const Matrix<Number>& y, Expanded labels, const Matrix<Number>& alpha,
                                    const Matrix<Number>& beta, const Number& p) {
  Matrix<Number> gradient = sum_over_states(alpha, beta, labels, y.cols());
  for (std::int64_t t = 0; t < y.rows(); ++t)
    for (std::int64_t k = 0; k < y.cols(); ++k) gradient(t, k) /= -y(t, k) * y(t, k) * p;  // (13), (15)
  return gradient;
}

}  // namespace assay::reference
