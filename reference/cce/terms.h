// The constants of the loss, as Numbers. With eps = label_smoothing, zeta = z_loss, V entries and target t:
//
//   loss = on_target (lse - x_t) + on_each sum_v (lse - x_v) + on_square lse^2
//   on_target = 1 - eps,   on_each = eps / V,   on_square = zeta
//
// The first two terms are the cross-entropy of the softmax against the target smoothed by the uniform distribution
// (Szegedy et al. 2016, "Rethinking the Inception Architecture for Computer Vision", section 7): since 1 - eps + V eps
// / V = 1, they equal lse - (1 - eps) x_t - (eps / V) sum_v x_v as problem.h has it, but every summand is at least 0
// and nothing cancels. The third is the z-loss (Chowdhery et al. 2022, "PaLM", section 5).
#pragma once

#include <cmath>

#include "reference/cce/problem.h"
#include "reference/number/traits.h"

namespace assay::reference {

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

}  // namespace assay::reference
