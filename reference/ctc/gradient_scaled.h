// The gradient with respect to the logits from the scaled variables, exactly as Graves et al. 2006 print it:
//
//   dL/da^t_k = y^t_k - 1/(y^t_k Z_t) sum_{s in lab(l,k)} alphahat_t(s) betahat_t(s)      (16)
//   Z_t       = sum_s alphahat_t(s) betahat_t(s) / y^t_{l'_s}
//
// Z_t takes the place of p(l|x): the scales C_t and D_t cancel between it and the sum.
#pragma once

#include <cstdint>

#include "reference/ctc/gradient.h"
#include "reference/ctc/invariants.h"
#include "reference/ctc/labels.h"
#include "reference/matrix.h"
#include "reference/number/traits.h"

namespace assay::reference {

/// dL/da [T, C] from y [T, C], l' [L], alphahat and betahat [T, L].
template <class Number>
Matrix<Number> gradient_wrt_logits_scaled(const Matrix<Number>& y, Expanded labels, const Matrix<Number>& alphahat,
                                          const Matrix<Number>& betahat) {
  const Matrix<Number> sum = sum_over_states(alphahat, betahat, labels, y.cols());
  Matrix<Number> gradient = y;
  for (std::int64_t t = 0; t < y.rows(); ++t) {
    const Number Z = invariant_including_y(alphahat, betahat, y, labels, t);
    for (std::int64_t k = 0; k < y.cols(); ++k)
      if (!NumberTraits<Number>::is_zero(y(t, k))) gradient(t, k) -= sum(t, k) / (y(t, k) * Z);  // (16)
  }
  return gradient;
}

}  // namespace assay::reference
