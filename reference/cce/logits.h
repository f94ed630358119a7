// z_v = sum_h hidden_h weight_vh + bias_v: the logits of one token. hidden [H], weight [V, H], bias [V] or empty, z
// [V].
//
// Every element, be it of 16, 32 or 64 bits, becomes a Number exactly where the Number has as many digits. Over
// Rational the sum is exact too; over a floating point of unit roundoff u, with gamma(n) = n u / (1 - n u) (Higham,
// Accuracy and Stability of Numerical Algorithms, 2nd ed., section 3.1),
//
//   |error of z_v| <= gamma(H + 1) (sum_h |hidden_h weight_vh| + |bias_v|)
//
// A softmax turns an absolute error of its logits into a relative one of its outputs, so what counts are the digits of
// z after the point: `digits_of_logits`.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "reference/cce/problem.h"
#include "reference/elements.h"
#include "reference/number/precision.h"
#include "reference/number/traits.h"

namespace assay::reference {

/// z [V] of one token. A bias of -inf is the logit of an entry outside the vocabulary.
template <class Number>
std::vector<Number> logits(std::span<const Number> hidden, std::span<const Number> weight,
                           std::span<const Number> bias) {
  const std::size_t H = hidden.size(), V = weight.size() / H;
  std::vector<Number> z(V, Number(0));
  for (std::size_t v = 0; v < V; ++v) {
    if (!bias.empty()) z[v] = bias[v];
    if (is_minus_infinity(z[v])) continue;
    for (std::size_t h = 0; h < H; ++h) add_product(z[v], hidden[h], weight[v * H + h]);
  }
  return z;
}

namespace detail {

/// The largest |x| among the finite elements, 0 where there are none.
template <class Real>
double largest_magnitude(std::span<const Real> array) {
  double largest = 0;
  for (const Real& x : array) {
    const double magnitude = std::abs(static_cast<double>(x));
    if (std::isfinite(magnitude)) largest = std::max(largest, magnitude);
  }
  return largest;
}

}  // namespace detail

/// The precision in which every logit has the digits in force *after* the point, for
/// |z_v| <= H max|hidden| max|weight| + max|bias|; one digit more for the roundings of the sum, log10(H + 1) for their
/// number.
template <class Real>
int digits_of_logits(const CceProblem<Real>& problem) {
  double hidden = 0;
  for (std::int64_t n = 0; n < problem.N; ++n)
    if (!problem.is_ignored(n))
      hidden = std::max(hidden, detail::largest_magnitude(problem.hidden.subspan(
                                    static_cast<std::size_t>(n * problem.H), static_cast<std::size_t>(problem.H))));
  const double terms = std::log10(static_cast<double>(problem.H) + 1);
  const double product = std::log10(hidden) + std::log10(detail::largest_magnitude(problem.weight)) + terms;
  const double largest = std::max({product, std::log10(detail::largest_magnitude(problem.bias)), 0.0}) + terms + 1;
  return std::min(precision_digits() + static_cast<int>(std::ceil(largest)), max_digits);
}

}  // namespace assay::reference
