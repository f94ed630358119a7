// Eigenvectors of a positive definite tridiagonal matrix L D L^T from twisted factorizations (Dhillon and Parlett,
// Linear Algebra Appl. 387, 2004), an eigenvalue in each lane.
//
//   L D L^T - lambda = N_k diag N_k^T,   N_k: as in L D L^T above row k, as in U D U^T below it
//   gamma_k          the element of the diagonal in row k; where it is smallest, N_k^T z = e_k is an eigenvector
//
// Both factorizations are differential: no digits of L and D are lost, so that vectors of small eigenvalues are as
// accurate as those of large ones.
#pragma once

#include "metal/cpu/simd/masks.h"
#include "metal/cpu/svd/kernels.h"
#include "metal/cpu/svd/simd/householder.h"

namespace assay::metal::cpu::ASSAY_SIMD {

/// The factorizations from above and from below: registers in memory, one for each row.
template <class T>
struct TwistedFactors {
  T *above, *below;  ///< above[i] + below[i] = gamma_i
  T *lower, *upper;  ///< z_i = -lower_i z_{i + 1} above row k, z_i = -upper_i z_{i - 1} below it
};

/// A pivot of 0 stands for one that is far below the roundoff of lambda.
template <class T>
ASSAY_INLINE Wide<T> not_zero(Wide<T> pivot, Wide<T> lambda) {
  constexpr T eps = sizeof(T) == 4 ? T(0x1p-23) : T(0x1p-52);
  return where(equal(pivot, all(T(0))), lambda * all(eps * eps * eps * eps), pivot);
}

template <class T>
ASSAY_INLINE void factor_twisted(const SvdTridiagonal<T>& of, Wide<T> lambda, const TwistedFactors<T>& factors) {
  constexpr std::int64_t w = width<T>;
  const std::int64_t last = of.n - 1;
  Wide<T> above = -lambda, below = all(of.d[last]);
  store_wide(factors.above, above);
  store_wide(factors.below + last * w, below);
  for (std::int64_t i = 0; i < last; ++i) {  // one goes down as the other goes up
    const std::int64_t j = last - 1 - i;
    const Wide<T> lower = all(of.d[i] * of.l[i]) / not_zero(all(of.d[i]) + above, lambda);
    above = fused(lower * all(of.l[i]), above, -lambda);
    store_wide(factors.lower + i * w, lower);
    store_wide(factors.above + (i + 1) * w, above);
    const Wide<T> rest = below - lambda;
    const Wide<T> quotient = all(of.d[j]) / not_zero(all(of.d[j] * of.l[j] * of.l[j]) + rest, lambda);
    below = quotient * rest;
    store_wide(factors.upper + (j + 1) * w, quotient * all(of.l[j]));
    store_wide(factors.below + j * w, below);
  }
}

/// Finds the row with the gamma of smallest magnitude.
template <class T>
ASSAY_INLINE Wide<T> twist(std::int64_t n, const TwistedFactors<T>& factors, Wide<T>& gamma) {
  constexpr std::int64_t w = width<T>;
  Wide<T> k = all(T(0));
  gamma = load_wide(factors.above) + load_wide(factors.below);
  for (std::int64_t i = 1; i < n; ++i) {
    const Wide<T> other = load_wide(factors.above + i * w) + load_wide(factors.below + i * w);
    const Mask<T> smaller = greater(absolute(gamma), absolute(other));
    gamma = where(smaller, other, gamma);
    k = where(smaller, all(static_cast<T>(i)), k);
  }
  return k;
}

/// Writes z over factors.lower. Returns its squared norm.
template <class T>
ASSAY_INLINE Wide<T> solve_twisted(std::int64_t n, Wide<T> k, const TwistedFactors<T>& factors) {
  constexpr std::int64_t w = width<T>;
  const Wide<T> one = all(T(1)), zero = all(T(0));
  Wide<T> z = zero, square = zero;
  for (std::int64_t i = n - 1; i >= 0; --i) {
    const Wide<T> next = i == n - 1 ? zero : -(load_wide(factors.lower + i * w) * z);
    z = where(equal(k, all(static_cast<T>(i))), one, next);
    store_wide(factors.lower + i * w, z);
  }
  z = zero;
  for (std::int64_t i = 0; i < n; ++i) {
    const Wide<T> next = i == 0 ? zero : -(load_wide(factors.upper + i * w) * z), row = all(static_cast<T>(i));
    z = where(equal(k, row), one, next);
    const Wide<T> both = where(greater(row, k), z, load_wide(factors.lower + i * w));
    store_wide(factors.lower + i * w, both);
    square = fused(both, both, square);
  }
  return square;
}

/// Solves for lambda, and again for the Rayleigh quotient of the vector where the residual is not a small share of it.
/// Leaves the vectors in factors.lower and returns what normalizes them.
template <class T>
ASSAY_INLINE Wide<T> solve_for_quotients(const SvdTridiagonal<T>& of, const TwistedFactors<T>& factors, Wide<T>& lambda,
                                         Wide<T>& residual) {
  constexpr int max_solutions = 4;
  constexpr T small = sizeof(T) == 4 ? T(0x1p-16) : T(0x1p-41);
  for (int solutions = 1;; ++solutions) {
    factor_twisted(of, lambda, factors);
    Wide<T> gamma;
    const Wide<T> k = twist(of.n, factors, gamma);
    const Wide<T> normalizer = all(T(1)) / square_root(solve_twisted(of.n, k, factors));
    residual = absolute(gamma) * normalizer;
    const bool done = solutions == max_solutions || !any(greater(residual, lambda * all(small)));
    lambda = fused(gamma * normalizer, normalizer, lambda);
    if (done) return normalizer;
  }
}

/// The eigenvectors of the eigenvalues from `first` on.
template <class T>
ASSAY_INLINE void write_eigenvectors(const SvdTridiagonal<T>& of, std::int64_t first, const TwistedFactors<T>& factors,
                                     T* values, T* Z, T* residuals) {
  const auto count = static_cast<std::size_t>(of.n - first);
  Wide<T> lambda = load_wide(values + first, count), residual;
  lambda = where(equal(lambda, all(T(0))), all(values[first]), lambda);  // lanes without an eigenvalue
  const Wide<T> normalizer = solve_for_quotients(of, factors, lambda, residual);
  store_wide(values + first, count, lambda);
  store_wide(residuals + first, count, residual);
  for (std::int64_t i = 0; i < of.n; ++i)
    store_wide(Z + i * of.n + first, count,
               load_wide(factors.lower + i * static_cast<std::int64_t>(width<T>)) * normalizer);
}

template <class T>
inline void eigenvectors(const SvdTridiagonal<T>& of, T* values, T* Z, T* residuals, T* work) {
  constexpr std::int64_t w = width<T>;
  const std::int64_t pieces = svd_pieces(of.n), size = of.n * w;
  in_pieces(of.threads, pieces, [&](std::int64_t piece) {
    T* const mine = work + 4 * piece * size;
    const TwistedFactors<T> factors = {mine, mine + size, mine + 2 * size, mine + 3 * size};
    for (std::int64_t first = piece * w; first < of.n; first += pieces * w)
      write_eigenvectors(of, first, factors, values, Z, residuals);
  });
}

}  // namespace assay::metal::cpu::ASSAY_SIMD
