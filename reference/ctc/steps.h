// Every quantity in the derivation of CTC's gradient, for one sequence, so that each can be looked at: from y [T, C]
// and l to alpha, both betas, their invariants, the posterior, and dL/dlogits by both routes.
//
//   ctc_steps         over any weight: probabilities in a number type, or their logarithms (LogNumber)
//   ctc_steps_scaled  alphahat and betahat, scaled to sum to 1 at every frame (Graves et al. 2006, section 4.1)
//
// Nothing is kept in range or rearranged: a number underflows where the formula makes it underflow. The loss and
// gradient that kernels are judged by are in batch.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "reference/ctc/alpha.h"
#include "reference/ctc/beta.h"
#include "reference/ctc/gradient.h"
#include "reference/ctc/gradient_two_step.h"
#include "reference/ctc/labels.h"
#include "reference/ctc/posterior.h"
#include "reference/ctc/scaled.h"
#include "reference/ctc/weights.h"
#include "reference/matrix.h"
#include "reference/number/traits.h"

namespace assay::reference {

template <class Weight>
struct CtcSteps {
  using Scalar = typename NumberTraits<Weight>::Scalar;

  std::vector<std::int64_t> states;         ///< l' [L]
  Matrix<Weight> y;                         ///< [T, C]
  Matrix<Weight> alpha;                     ///< [T, L]; alphahat where scaled
  Matrix<Weight> beta_including;            ///< [T, L]; betahat where scaled
  Matrix<Weight> beta_excluding;            ///< [T, L]; empty where scaled
  Matrix<Weight> product;                   ///< [T, L]: alpha beta without y, the terms of the invariants
  std::vector<Weight> scale;                ///< C [T], what alpha was divided by; empty where not scaled
  Weight p{0};                              ///< p(l|x); where scaled, the product of C
  std::vector<Weight> invariant_including;  ///< [T]: p(l|x); where scaled, Z
  std::vector<Weight> invariant_excluding;  ///< [T]: p(l|x); empty where scaled
  Matrix<Scalar> posterior;                 ///< gamma [T, C]; empty, as what follows, where p is 0
  Matrix<Scalar> output_error;              ///< dL/dy [T, C], the first of Eesen's two steps
  Matrix<Scalar> gradient_two_step;         ///< dL/dlogits [T, C] by way of dL/dy
  Matrix<Scalar> gradient;                  ///< dL/dlogits [T, C], y - gamma
};

namespace detail {

/// alpha beta, state by state.
template <class Weight>
Matrix<Weight> alpha_beta(Matrix<Weight> alpha, const Matrix<Weight>& beta) {
  for (std::int64_t t = 0; t < alpha.rows(); ++t)
    for (std::int64_t s = 0; s < alpha.cols(); ++s) alpha(t, s) *= beta(t, s);
  return alpha;
}

}  // namespace detail

/// From y [T, C], l' [L] and `alpha` [T, L], which may be wrong: the invariants then show at which frames.
template <class Weight>
CtcSteps<Weight> ctc_steps_of(Matrix<Weight> y, std::vector<std::int64_t> states, Matrix<Weight> alpha) {
  CtcSteps<Weight> steps;
  steps.states = std::move(states);
  steps.y = std::move(y);
  steps.alpha = std::move(alpha);
  steps.beta_including = beta_including_y(steps.y, steps.states);
  steps.beta_excluding = beta_excluding_y(steps.y, steps.states);
  steps.product = detail::alpha_beta(steps.alpha, steps.beta_excluding);
  steps.p = alpha_total(steps.alpha);
  for (std::int64_t t = 0; t < steps.y.rows(); ++t) {
    steps.invariant_including.push_back(
        invariant_including_y(steps.alpha, steps.beta_including, steps.y, steps.states, t));
    steps.invariant_excluding.push_back(invariant_excluding_y(steps.alpha, steps.beta_excluding, t));
  }
  if (NumberTraits<Weight>::is_zero(steps.p)) return steps;
  steps.posterior = values(posterior(steps.y, steps.states, steps.alpha, steps.p));
  steps.output_error = two_step_output_error(steps.y, steps.states, steps.alpha, steps.beta_including, steps.p);
  steps.gradient_two_step = softmax_backward(steps.output_error, values(steps.y));
  steps.gradient = difference(values(steps.y), steps.posterior);
  return steps;
}

/// From y [T, C] and the labels l [S].
template <class Weight>
CtcSteps<Weight> ctc_steps(Matrix<Weight> y, std::span<const std::int64_t> labels, std::int64_t blank) {
  std::vector<std::int64_t> states = expand(labels, blank);
  Matrix<Weight> forward = alpha(y, states);
  return ctc_steps_of(std::move(y), std::move(states), std::move(forward));
}

/// From y [T, C] and the labels l [S], scaled.
template <class Number>
CtcSteps<Number> ctc_steps_scaled(Matrix<Number> y, std::span<const std::int64_t> labels, std::int64_t blank) {
  CtcSteps<Number> steps;
  steps.states = expand(labels, blank);
  steps.y = std::move(y);
  auto [alphahat, scale] = alpha_scaled(steps.y, steps.states);
  steps.alpha = std::move(alphahat);
  steps.scale = std::move(scale);
  steps.beta_including = beta_scaled(steps.y, steps.states).values;
  steps.product = detail::alpha_beta(steps.alpha, steps.beta_including);
  for (std::int64_t t = 0; t < steps.y.rows(); ++t)
    for (std::int64_t s = 0; s < steps.product.cols(); ++s) {
      const Number& output = steps.y(t, steps.states[static_cast<std::size_t>(s)]);
      if (!NumberTraits<Number>::is_zero(output)) steps.product(t, s) /= output;
    }
  steps.p = steps.y.rows() == 0 ? alpha_total(steps.alpha) : Number(1);
  for (const Number& sum : steps.scale) steps.p *= sum;

  steps.posterior = sum_over_states(steps.alpha, steps.beta_including, steps.states, steps.y.cols());
  steps.output_error = Matrix<Number>(steps.y.rows(), steps.y.cols());
  for (std::int64_t t = 0; t < steps.y.rows(); ++t) {
    const Number Z = invariant_including_y(steps.alpha, steps.beta_including, steps.y, steps.states, t);
    steps.invariant_including.push_back(Z);
    for (std::int64_t k = 0; k < steps.y.cols(); ++k) {
      const Number& output = steps.y(t, k);
      if (NumberTraits<Number>::is_zero(output)) continue;
      steps.output_error(t, k) = -steps.posterior(t, k) / (Z * (output * output));  // (15), Z for p(l|x)
      steps.posterior(t, k) /= output * Z;                                          // (16)
    }
  }
  steps.gradient = difference(steps.y, steps.posterior);
  steps.gradient_two_step = softmax_backward(steps.output_error, steps.y);
  return steps;
}

}  // namespace assay::reference
