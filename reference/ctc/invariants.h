// What alpha and beta must satisfy at every frame t: every alignment is in exactly one state s at t, so the sum over s
// of what leads to it and what follows is all of p(l|x). The two definitions of beta satisfy different identities:
//
//   including y_t (Graves et al. 2006, 14):   sum_s alpha_t(s) beta_t(s) / y^t_{l'_s} = p(l|x)
//   excluding y_t (Graves 2008, chapter 7):   sum_s alpha_t(s) beta_t(s)             = p(l|x)
//
// A term missing from either recursion breaks them at the frames it concerns.
#pragma once

#include <cstddef>
#include <cstdint>

#include "reference/ctc/labels.h"
#include "reference/matrix.h"
#include "reference/number/traits.h"

namespace assay::reference {

/// The left side of (14) at frame t, beta including y_t. States of output 0 lead nowhere and count as 0.
template <class Weight>
Weight invariant_including_y(const Matrix<Weight>& alpha, const Matrix<Weight>& beta, const Matrix<Weight>& y,
                             Expanded labels, std::int64_t t) {
  Weight sum(0);
  for (std::int64_t s = 0; s < alpha.cols(); ++s) {
    const Weight& output = y(t, labels[static_cast<std::size_t>(s)]);
    if (!NumberTraits<Weight>::is_zero(output)) sum += alpha(t, s) * beta(t, s) / output;  // (14)
  }
  return sum;
}

/// sum_s alpha_t(s) beta_t(s) at frame t, beta excluding y_t.
template <class Weight>
Weight invariant_excluding_y(const Matrix<Weight>& alpha, const Matrix<Weight>& beta, std::int64_t t) {
  Weight sum(0);
  for (std::int64_t s = 0; s < alpha.cols(); ++s) sum += alpha(t, s) * beta(t, s);
  return sum;
}

}  // namespace assay::reference
