// The loss of one token from its capped logits x [V], of target t. With eps = label_smoothing, zeta = z_loss:
//
//   loss = on_target (lse - x_t) + on_each sum_v (lse - x_v) + on_square lse^2
//   on_target = 1 - eps,   on_each = eps / V,   on_square = zeta
//   lse - x_v = (max - x_v) + ln(1 + others)                                  both at least 0, log_sum_exp.h
//
// The first two terms are the cross-entropy of the softmax against the target smoothed by the uniform distribution
// (Szegedy et al. 2016, "Rethinking the Inception Architecture for Computer Vision", section 7). They equal
// lse - (1 - eps) x_t - (eps / V) sum_v x_v, as problem.h has it, for 1 - eps + V eps / V = 1; but here every summand
// is at least 0, and nothing cancels. The third is the z-loss (Chowdhery et al. 2022, "PaLM", section 5).
//
// So the loss has the relative digits of its exponentials, also where it is 1e-300. It is +inf where an entry that the
// smoothed target expects, t or with label smoothing any, has x_v = -inf.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>

#include "reference/cce/log_sum_exp.h"
#include "reference/cce/problem.h"
#include "reference/number/traits.h"

namespace assay::reference {

/// The constants of the loss, as Numbers.
template <class Number>
struct CceTerms {
  Number cap{0};        ///< of the logits; 0: none
  Number on_target{1};  ///< 1 - eps
  Number on_each{0};    ///< eps / V
  Number on_rest{0};    ///< eps (V - 1) / V: on_each of all entries but one
  Number on_square{0};  ///< zeta
};

/// The constants of a problem that has been validated.
template <class Number, class Real>
CceTerms<Number> terms_of(const CceProblem<Real>& problem) {
  using Traits = NumberTraits<Number>;
  const Number eps = Traits::from_real(problem.label_smoothing), V = Number(problem.V);
  CceTerms<Number> terms;
  if (std::isfinite(problem.logit_softcap)) terms.cap = Traits::from_real(problem.logit_softcap);
  terms.on_target = Number(1) - eps;
  terms.on_each = eps / V;
  terms.on_rest = eps * (V - Number(1)) / V;
  terms.on_square = Traits::from_real(problem.z_loss);
  return terms;
}

/// `sum` is that of exp x.
template <class Number>
Number loss(std::span<const Number> x, std::int64_t t, const OnlineSum<Number>& sum, const CceTerms<Number>& terms) {
  using Traits = NumberTraits<Number>;
  const Number& x_t = x[static_cast<std::size_t>(t)];
  const Number log_sum = Traits::log1p(sum.others);
  const bool hard = !Traits::is_zero(terms.on_target), smooth = !Traits::is_zero(terms.on_each);
  if ((hard && is_minus_infinity(x_t)) || (smooth && std::any_of(x.begin(), x.end(), is_minus_infinity<Number>)))
    return Traits::infinity();
  Number result(0);
  if (hard) result += terms.on_target * (sum.max - x_t + log_sum);
  if (smooth) {
    Number gaps = Number(static_cast<std::int64_t>(x.size())) * log_sum;
    for (const Number& x_v : x) gaps += sum.max - x_v;
    result += terms.on_each * gaps;
  }
  const Number lse = sum.log();
  result += terms.on_square * lse * lse;
  return result;
}

}  // namespace assay::reference
