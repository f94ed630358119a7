// How far the rSVD may be from A, by its true singular values sigma [K], which descend (Halko, Martinsson and Tropp
// 2011, section 10). P = Q Q^T projects on the subspace of l = rank + oversampling dimensions; q power iterations.
//
// For every k >= 2 and p >= 2 with k + p = l (theorem 10.6 and corollary 10.10, in the spectral norm),
//
//   E ||A - P A|| <= ((1 + sqrt(k / (p - 1))) s + e sqrt(k + p) / p * d)^(1 / (2 q + 1))
//   s = sigma_k+1^(2 q + 1),   d = (sum_{j > k} sigma_j^(2 (2 q + 1)))^(1/2)
//
// and for p >= 4 and all t, u >= 1, except with a probability of at most 2 t^-p + exp(-u^2 / 2) (theorem 10.8, for q >
// 0 by theorem 9.2: ||A - P A||^(2 q + 1) <= ||B - P B||, B = (A A^T)^q A),
//
//   ||A - P A|| <= ((1 + t sqrt(3 k / (p + 1))) s + t e sqrt(k + p) / (p + 1) (d + u s))^(1 / (2 q + 1))
//
// The subspace is the same for every split of l into k + p, so the smallest of their bounds holds. ||A - P A|| <=
// sigma_1 always, and = 0 for l = K. Cut off after `rank` triplets, the result has (theorem 9.3)
//
//   ||A - U diag(S) Vh|| <= sigma_rank+1 + ||A - P A||
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "reference/number/traits.h"
#include "reference/refuse.h"
#include "reference/svd/problem.h"
#include "reference/svd/randomized.h"

namespace assay::reference {

namespace detail {

/// s and d of a split, relative to sigma_k+1^(2 q + 1), so that no power overflows: s = 1; d. sigma_k+1 is not 0.
template <class Number>
Number relative_tail(const std::vector<Number>& sigma, std::int64_t k, std::int64_t q) {
  Number sum(0);
  for (auto j = static_cast<std::size_t>(k); j < sigma.size(); ++j) {
    const Number ratio = sigma[j] / sigma[static_cast<std::size_t>(k)];
    Number power = ratio;
    for (std::int64_t iteration = 0; iteration < q; ++iteration) power *= ratio * ratio;
    add_product(sum, power, power);
  }
  return NumberTraits<Number>::sqrt(sum);
}

/// The least, over the splits of l with p >= min_p, of sigma_k+1 factor(k, p, d)^(1 / (2 q + 1)).
template <class Number, class Factor>
Number smallest_bound(const std::vector<Number>& sigma, const RandomizedSvd& randomized, std::int64_t min_p,
                      Factor factor) {
  using Traits = NumberTraits<Number>;
  const auto K = static_cast<std::int64_t>(sigma.size());
  validate(randomized, SvdProblem<double>{1, K, K, {}});
  const std::int64_t l = subspace_dimensions(randomized, K), q = randomized.power_iterations;
  if (l == K) return Number(0);
  Number least = sigma[0];
  for (std::int64_t k = 2; k + min_p <= l; ++k) {
    const Number& next = sigma[static_cast<std::size_t>(k)];
    if (Traits::is_zero(next)) return Number(0);
    const Number power = factor(k, l - k, relative_tail(sigma, k, q));
    least = std::min<Number>(least, next * Traits::exp(Traits::log(power) / Number(2 * q + 1)));
  }
  return least;
}

template <class Number>
Number root(std::int64_t numerator, std::int64_t denominator) {
  return NumberTraits<Number>::sqrt(Number(numerator) / Number(denominator));
}

}  // namespace detail

/// A bound of E ||A - Q Q^T A||, of singular values sigma [K]. Throws std::invalid_argument where `validate` does.
template <class Number>
Number expected_error_bound(const std::vector<Number>& sigma, const RandomizedSvd& randomized) {
  const Number e = NumberTraits<Number>::exp(Number(1));
  return detail::smallest_bound(sigma, randomized, 2, [&](std::int64_t k, std::int64_t p, const Number& d) {
    const Number on_tail = e * NumberTraits<Number>::sqrt(Number(k + p)) / Number(p);
    return Number(Number(1) + detail::root<Number>(k, p - 1) + on_tail * d);
  });
}

/// A bound of ||A - Q Q^T A|| that is exceeded with at most the given probability: t and u share it in halves.
/// Throws std::invalid_argument where `validate` does, and unless 0 < failure_probability <= 1/2.
template <class Number>
Number deviation_bound(const std::vector<Number>& sigma, const RandomizedSvd& randomized, double failure_probability) {
  if (!(failure_probability > 0) || !(failure_probability <= 0.5))
    detail::refuse("failure_probability = ", failure_probability, ": expected a number in (0, 1/2]");
  using Traits = NumberTraits<Number>;
  const Number e = Traits::exp(Number(1)), u(std::sqrt(2 * std::log(2 / failure_probability)));
  return detail::smallest_bound(sigma, randomized, 4, [&](std::int64_t k, std::int64_t p, const Number& d) {
    const Number t(std::pow(4 / failure_probability, 1 / static_cast<double>(p)));  // 2 t^-p is half of it
    const Number on_tail = e * Traits::sqrt(Number(k + p)) / Number(p + 1);
    return Number(Number(1) + t * detail::root<Number>(3 * k, p + 1) + t * on_tail * (d + u));
  });
}

/// The same of what is cut off after `rank` triplets, given a bound of ||A - Q Q^T A||.
template <class Number>
Number truncated_error_bound(const std::vector<Number>& sigma, const RandomizedSvd& randomized, const Number& bound) {
  const auto rank = static_cast<std::size_t>(randomized.rank);
  return rank < sigma.size() ? Number(sigma[rank] + bound) : bound;
}

}  // namespace assay::reference
