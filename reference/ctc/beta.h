// The backward variable beta_t(s), in the two definitions that the literature has: the total weight of the ways to
// complete l from state s at frame t,
//
//   including y_t (Graves et al. 2006, section 4.1):
//     beta_T(|l'|) = y^T_b,   beta_T(|l'| - 1) = y^T_{l_|l|},   beta_T(s) = 0 for s < |l'| - 1      (9)
//     beta_t(s) = bbar_t(s) y^t_{l'_s}                          if l'_s = b or l'_{s+2} = l'_s      (10)
//               = (bbar_t(s) + beta_{t+1}(s+2)) y^t_{l'_s}      otherwise
//     bbar_t(s) = beta_{t+1}(s) + beta_{t+1}(s+1)                                                   (11)
//
//   excluding y_t (Graves 2008, chapter 7): the same without the last factor, so that
//     beta_including = beta_excluding * y^t_{l'_s},   beta_excluding_T(|l'|) = beta_excluding_T(|l'| - 1) = 1.
//
// And what alpha and beta satisfy at every frame t. Every alignment is in exactly one state s at t, so the sum over s
// of what leads to s and what follows s is all of p(l|x):
//
//   including y_t:   sum_s alpha_t(s) beta_t(s) / y^t_{l'_s} = p(l|x)                               (14)
//   excluding y_t:   sum_s alpha_t(s) beta_t(s)              = p(l|x)
//
// A term missing from either recursion breaks these invariants at the frames that the term concerns.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "reference/ctc/labels.h"
#include "reference/matrix.h"
#include "reference/number/traits.h"

namespace assay::reference {

/// One frame: `beta` [L] holds beta_{t+1} including y_{t+1} and becomes beta_t excluding y_t. At t = T - 1 what it
/// held is not read.
template <class Weight>
void beta_step(std::int64_t t, std::int64_t T, Expanded labels, std::span<Weight> beta) {
  const std::int64_t L = std::ssize(labels);
  const auto [first, end] = live_states(t, T, L);
  for (std::int64_t s = first; s < end; ++s) {
    const auto i = static_cast<std::size_t>(s);
    if (t == T - 1) {
      beta[i] = Weight(1);  // (9)
      continue;
    }
    if (s + 1 < L) beta[i] += beta[i + 1];                                // (11)
    if (s + 2 < L && may_skip_to(labels, s + 2)) beta[i] += beta[i + 2];  // (10), second case
  }
}

namespace detail {

/// beta [T, L], excluding and including y: the recursion alternates between the two.
template <class Weight>
Matrix<Weight> beta(const Matrix<Weight>& y, Expanded labels, bool including) {
  const std::int64_t T = y.rows(), L = std::ssize(labels);
  Matrix<Weight> result(T, L);
  std::vector<Weight> beta(labels.size(), Weight(0));
  for (std::int64_t t = T - 1; t >= 0; --t) {
    beta_step<Weight>(t, T, labels, beta);
    const auto [first, end] = live_states(t, T, L);
    for (std::int64_t s = first; s < end; ++s) {
      const auto i = static_cast<std::size_t>(s);
      if (!including) result(t, s) = beta[i];
      beta[i] *= y(t, labels[i]);  // (10)
      if (including) result(t, s) = beta[i];
    }
  }
  return result;
}

}  // namespace detail

/// beta [T, L] including y_t, as in Graves et al. 2006, from y [T, C] and l' [L].
template <class Weight>
Matrix<Weight> beta_including_y(const Matrix<Weight>& y, Expanded labels) {
  return detail::beta(y, labels, true);
}

/// beta [T, L] excluding y_t, as in Graves 2008.
template <class Weight>
Matrix<Weight> beta_excluding_y(const Matrix<Weight>& y, Expanded labels) {
  return detail::beta(y, labels, false);
}

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
