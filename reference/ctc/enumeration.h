// Probability and gradients by the definition alone: sums over all alignments, differentiated term by term.
//
//   p(l|x) = sum_{pi in B^-1(l)} p(pi|x)                                                     (3)
//   dp/dy^t_k   = sum_{pi : pi_t = k} prod_{t' != t} y^{t'}_{pi_t'}        each term is linear in y^t_{pi_t}
//   dp/da^t_k   = sum_pi p(pi|x) (delta_{k, pi_t} - y^t_k)                 for d ln y_j / da_k = delta_jk - y_k
//
// L = -ln p, so dL = -dp / p. Equation 3 of Graves et al. 2006; time as in alignments.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "reference/ctc/alignments.h"
#include "reference/ctc/path_probability.h"
#include "reference/matrix.h"

namespace assay::reference {

/// p(l|x) from y [T, C].
template <class Number>
Number probability_by_enumeration(const Matrix<Number>& y, std::span<const std::int64_t> labels, std::int64_t blank) {
  Number p(0);
  for (const auto& alignment : alignments(y.rows(), labels, blank)) p += path_probability(y, alignment);  // (3)
  return p;
}

/// dL/dy [T, C], the outputs y taken as free variables. p(l|x) must not be 0.
template <class Number>
Matrix<Number> gradient_wrt_outputs_by_enumeration(const Matrix<Number>& y, std::span<const std::int64_t> labels,
                                                   std::int64_t blank) {
  const Number p = probability_by_enumeration(y, labels, blank);
  Matrix<Number> gradient(y.rows(), y.cols());
  for (const auto& alignment : alignments(y.rows(), labels, blank))
    for (std::int64_t t = 0; t < y.rows(); ++t) {
      Number others(1);
      for (std::int64_t u = 0; u < y.rows(); ++u)
        if (u != t) others *= y(u, alignment[static_cast<std::size_t>(u)]);
      gradient(t, alignment[static_cast<std::size_t>(t)]) -= others / p;
    }
  return gradient;
}

/// dL/da [T, C] with respect to the logits a, of which y is the softmax. p(l|x) must not be 0.
template <class Number>
Matrix<Number> gradient_wrt_logits_by_enumeration(const Matrix<Number>& y, std::span<const std::int64_t> labels,
                                                  std::int64_t blank) {
  const Number p = probability_by_enumeration(y, labels, blank);
  Matrix<Number> gradient(y.rows(), y.cols());
  for (const auto& alignment : alignments(y.rows(), labels, blank)) {
    const Number share = path_probability(y, alignment) / p;
    for (std::int64_t t = 0; t < y.rows(); ++t)
      for (std::int64_t k = 0; k < y.cols(); ++k) {
        const Number delta(k == alignment[static_cast<std::size_t>(t)] ? 1 : 0);
        gradient(t, k) -= share * (delta - y(t, k));
      }
  }
  return gradient;
}

}  // namespace assay::reference
