// ln alpha and ln beta, including ln y_t, as Eesen's kernels compute them, one cell at a time:
//
//   alpha(t, i) = ln y_t (x) { alpha(t-1, i)                                           i = 0
//                            { alpha(t-1, i-1) (+) alpha(t-1, i)                       i = 1, blank, or repeated label
//                            { alpha(t-1, i-2) (+) alpha(t-1, i-1) (+) alpha(t-1, i)   otherwise
//
// A label is repeated where labels[i-2] == labels[i]. beta is the same seen from the other end: t+1 for t-1, i+1 and
// i+2 for i-1 and i-2, L-1 for 0. (x), Eesen's AddAB, multiplies what two logarithms stand for; (+), its LogAPlusB,
// adds it. Unlike alpha.h this also computes states from which the end cannot be reached; loss and gradient do not see
// them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "reference/ctc/labels.h"
#include "reference/matrix.h"
#include "reference/number/traits.h"

namespace assay::reference {

namespace detail {

/// ln(e^a e^b).
template <class Number>
Number add_ab(const Number& a, const Number& b) {
  return is_minus_infinity(a) || is_minus_infinity(b) ? -NumberTraits<Number>::infinity() : Number(a + b);
}

/// ln(e^a + e^b) = a + ln(1 + e^(b - a)) for b <= a.
template <class Number>
Number log_a_plus_b(const Number& a, const Number& b) {
  using Traits = NumberTraits<Number>;
  if (a < b) return log_a_plus_b(b, a);
  if (is_minus_infinity(b)) return a;
  return a + Traits::log1p(Traits::exp(Number(b - a)));
}

/// ln alpha, or ln beta where `backward`: then t and i count from the other end.
template <class Number>
Matrix<Number> eesen_recursion(const Matrix<Number>& log_y, Expanded labels, bool backward) {
  const std::int64_t T = log_y.rows(), L = std::ssize(labels);
  Matrix<Number> result(T, L, -NumberTraits<Number>::infinity());
  const auto cell = [&](std::int64_t t, std::int64_t i) -> Number& {
    return backward ? result(T - 1 - t, L - 1 - i) : result(t, i);
  };
  const auto label = [&](std::int64_t i) { return labels[static_cast<std::size_t>(backward ? L - 1 - i : i)]; };
  for (std::int64_t t = 0; t < T; ++t)
    for (std::int64_t i = 0; i < L; ++i) {
      const Number& log_prob = log_y(backward ? T - 1 - t : t, label(i));
      if (t == 0) {
        if (i < 2) cell(t, i) = log_prob;
        continue;
      }
      Number sum = cell(t - 1, i);
      if (i > 0) sum = log_a_plus_b(cell(t - 1, i - 1), sum);
      if (i > 1 && i % 2 == 1 && label(i - 2) != label(i)) sum = log_a_plus_b(cell(t - 1, i - 2), sum);
      cell(t, i) = add_ab(log_prob, sum);
    }
  return result;
}

}  // namespace detail

/// ln alpha [T, L] from ln y [T, C] and l' [L].
template <class Number>
Matrix<Number> eesen_alpha(const Matrix<Number>& log_y, Expanded labels) {
  return detail::eesen_recursion(log_y, labels, false);
}

/// ln beta [T, L] from ln y [T, C] and l' [L].
template <class Number>
Matrix<Number> eesen_beta(const Matrix<Number>& log_y, Expanded labels) {
  return detail::eesen_recursion(log_y, labels, true);
}

}  // namespace assay::reference
