// ln alpha_t(i) as Eesen's kernel computes it, one cell at a time, with its case distinctions kept: i = 0, i = 1, and
// above that the states that may be entered from i - 2 (a label other than that of i - 2) and those that may not (a
// blank, or labels[i-2] == labels[i]).
//
//   alpha(t, i) = ln y_t + { alpha(t-1, i)                                        i = 0
//                          { alpha(t-1, i-1) (+) alpha(t-1, i)                    i = 1, blank or repeated label
//                          { alpha(t-1, i-2) (+) alpha(t-1, i-1) (+) alpha(t-1, i)   otherwise
//
// where (+) adds what the logarithms stand for. Unlike `alpha` it also computes states from which the end cannot be
// reached any more; the loss and the gradient do not see them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "reference/ctc/eesen_log_math.h"
#include "reference/ctc/labels.h"
#include "reference/matrix.h"

namespace assay::reference {

/// ln alpha [T, L] from ln y [T, C] and l' [L].
template <class Number>
Matrix<Number> eesen_alpha(const Matrix<Number>& log_y, Expanded labels) {
  using eesen::add_ab, eesen::log_a_plus_b;
  const std::int64_t T = log_y.rows(), L = std::ssize(labels);
  const auto label = [&](std::int64_t i) { return labels[static_cast<std::size_t>(i)]; };
  Matrix<Number> alpha(T, L, eesen::log_zero<Number>());
  for (std::int64_t t = 0; t < T; ++t)
    for (std::int64_t i = 0; i < L; ++i) {
      const Number& log_prob = log_y(t, label(i));
      if (t == 0) {
        if (i < 2) alpha(t, i) = log_prob;
      } else if (i > 1) {
        const Number two = log_a_plus_b(alpha(t - 1, i - 1), alpha(t - 1, i));
        if (i % 2 == 0 || label(i - 2) == label(i)) {
          alpha(t, i) = add_ab(log_prob, two);
        } else {
          alpha(t, i) = add_ab(log_prob, log_a_plus_b(alpha(t - 1, i - 2), two));
        }
      } else if (i == 1) {
        alpha(t, i) = add_ab(log_prob, log_a_plus_b(alpha(t - 1, i - 1), alpha(t - 1, i)));
      } else {
        alpha(t, i) = add_ab(log_prob, alpha(t - 1, i));
      }
    }
  return alpha;
}

}  // namespace assay::reference
