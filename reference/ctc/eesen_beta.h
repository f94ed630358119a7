// ln beta_t(i), including ln y_t, as Eesen's kernel computes it: eesen_alpha.h seen from the other end, with the cases
// i = L - 1, i = L - 2, and below that the states that may be left to i + 2 (a label other than that of i + 2) and
// those that may not (a blank, or labels[i+2] == labels[i]).
//
//   beta(t, i) = ln y_t + { beta(t+1, i)                                       i = L - 1
//                         { beta(t+1, i+1) (+) beta(t+1, i)                    i = L - 2, blank or repeated label
//                         { beta(t+1, i+2) (+) beta(t+1, i+1) (+) beta(t+1, i)    otherwise
#pragma once

#include <cstddef>
#include <cstdint>

#include "reference/ctc/eesen_log_math.h"
#include "reference/ctc/labels.h"
#include "reference/matrix.h"

namespace assay::reference {

/// ln beta [T, L] from ln y [T, C] and l' [L].
template <class Number>
Matrix<Number> eesen_beta(const Matrix<Number>& log_y, Expanded labels) {
  using eesen::add_ab, eesen::log_a_plus_b;
  const std::int64_t T = log_y.rows(), L = std::ssize(labels);
  const auto label = [&](std::int64_t i) { return labels[static_cast<std::size_t>(i)]; };
  Matrix<Number> beta(T, L, eesen::log_zero<Number>());
  for (std::int64_t t = T - 1; t >= 0; --t)
    for (std::int64_t i = 0; i < L; ++i) {
      const Number& log_prob = log_y(t, label(i));
      if (t == T - 1) {
        if (i > L - 3) beta(t, i) = log_prob;
      } else if (i < L - 2) {
        const Number two = log_a_plus_b(beta(t + 1, i + 1), beta(t + 1, i));
        if (i % 2 == 0 || label(i + 2) == label(i)) {
          beta(t, i) = add_ab(log_prob, two);
        } else {
          beta(t, i) = add_ab(log_prob, log_a_plus_b(beta(t + 1, i + 2), two));
        }
      } else if (i == L - 2) {
        beta(t, i) = add_ab(log_prob, log_a_plus_b(beta(t + 1, i + 1), beta(t + 1, i)));
      } else {
        beta(t, i) = add_ab(log_prob, beta(t + 1, i));
      }
    }
  return beta;
}

}  // namespace assay::reference
