// The posterior gamma_t(k): the probability that the alignment emits class k at frame t, given that it spells l.
//
//   gamma_t(k) = 1/p(l|x) sum_{s in lab(l,k)} alpha_t(s) beta_t(s)
//
// with lab(l,k) = {s : l'_s = k} and beta_t(s) without y_t (Graves 2008, chapter 7): no division by y, which may be 0.
// beta is needed one frame at a time and never stored. Each state is scattered to its class: O(T (L + C)).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "reference/ctc/alpha.h"
#include "reference/ctc/beta.h"
#include "reference/ctc/labels.h"
#include "reference/matrix.h"

namespace assay::reference {

/// gamma [T, C], rows sum to 1, from y [T, C], l' [L], alpha [T, L], a Matrix or a LiveTable, and p(l|x) > 0.
template <class Weight, class Table>
Matrix<Weight> posterior(const Matrix<Weight>& y, Expanded labels, const Table& alpha, const Weight& p) {
  const std::int64_t T = y.rows(), C = y.cols(), L = std::ssize(labels);
  Matrix<Weight> gamma(T, C);
  std::vector<Weight> beta(static_cast<std::size_t>(L), Weight(0));
  Weight inverse_p(1), term(0);
  inverse_p /= p;
  for (std::int64_t t = T - 1; t >= 0; --t) {
    beta_step<Weight>(t, T, labels, beta);
    const auto [first, end] = live_states(t, T, L);
    for (std::int64_t s = first; s < end; ++s) {
      const std::int64_t k = labels[static_cast<std::size_t>(s)];
      term = alpha(t, s);
      term *= beta[static_cast<std::size_t>(s)];
      gamma(t, k) += term;
      beta[static_cast<std::size_t>(s)] *= y(t, k);
    }
    for (Weight& element : gamma.row(t)) element *= inverse_p;
  }
  return gamma;
}

}  // namespace assay::reference
