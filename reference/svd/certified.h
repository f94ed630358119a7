// Enclosures of the singular values of A [M, N] that are theorems, whatever the approximate factors U, S, Vh are.
//
// In balls, with Frobenius norms in the place of spectral ones, which they bound:
//
//   r = ||A - U diag(S) Vh||,   f = ||U^T U - I||,   g = ||Vh Vh^T - I||
//
// Ostrowski: the squares of the singular values of U are in [1 - f, 1 + f], those of Vh in [1 - g, 1 + g], and those of
// a product X Y are those of Y times at least the least and at most the largest of X (Horn and Johnson, Topics in
// Matrix Analysis, theorem 3.3.16, for X of full column rank). Weyl: those of two matrices differ by at most the norm
// of the difference (ibid., corollary 7.3.5 of Matrix Analysis). So for every k, S descending,
//
//   (1)   S_k sqrt((1 - f) (1 - g)) - r  <=  sigma_k(A)  <=  S_k sqrt((1 + f) (1 + g)) + r
//
// which is tight relative to sigma_1. For the small ones, with a tall A and so a square Vh = V^T: let W and Z be
//
//   W_k = A v_k / S_k,  Z_k = 0   where S_k > 0;        W_k = u_k,  Z_k = A v_k   where S_k = 0
//   w = ||W^T W - I||,  z = ||Z||
//
// Then A V = W diag(S) + Z. By the same two theorems, sigma_k(A V) is within z of S_k times [sqrt(1 - w), sqrt(1 + w)],
// and is sigma_k(A) times a number in [sqrt(1 - g), sqrt(1 + g)]:
//
//   (2)   (S_k sqrt(1 - w) - z) / sqrt(1 + g)  <=  sigma_k(A)  <=  (S_k sqrt(1 + w) + z) / sqrt(1 - g)
//
// which is tight relative to sigma_k: for graded columns, V has the small elements that keep A v_k of the size of S_k.
// Both hold; the enclosure is what they have in common. For a wide A, both are taken of its transpose.
#pragma once

#include "reference/number/ball.h"

#if ASSAY_HAVE_CERTIFIED

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <utility>
#include <vector>

#include "reference/matrix.h"
#include "reference/number/big_float.h"
#include "reference/refuse.h"
#include "reference/svd/problem.h"
#include "reference/svd/products.h"
#include "reference/svd/vectors.h"

namespace assay::reference {

namespace detail {

inline Matrix<Ball> balls(const Matrix<BigFloat>& A) {
  return map(A, [](const BigFloat& x) { return Ball(x); });
}

inline Ball frobenius_norm(const Matrix<Ball>& A) {
  Ball sum(0);
  for (std::int64_t i = 0; i < A.rows(); ++i) sum += dot<Ball>(A.row(i), A.row(i));
  return sqrt(sum);
}

/// ||X X^T - I||, of the rows of X.
inline Ball orthonormality(const Matrix<Ball>& X) {
  return frobenius_norm(difference(product(X, transposed(X)), identity<Ball>(X.rows())));
}

/// An enclosure: from the lower end of the one Ball to the upper end of the other.
struct Ends {
  Ball lower;
  Ball upper;
};

/// The enclosures (1) for S [K].
inline std::vector<Ends> ends_by_residual(const Matrix<Ball>& A, const SvdFactors<Ball>& factors, const Ball& g) {
  const Ball one(1), f = orthonormality(transposed(factors.U));
  const Ball r = frobenius_norm(difference(A, reconstruct(factors)));
  const Ball shrink = sqrt(one - f) * sqrt(one - g), stretch = sqrt(one + f) * sqrt(one + g);
  std::vector<Ends> ends;
  for (const Ball& s : factors.S) ends.push_back({s * shrink - r, s * stretch + r});
  return ends;
}

/// The enclosures (2) for S [K] of an A that is not wide.
inline std::vector<Ends> ends_by_columns(const Matrix<Ball>& A, const SvdFactors<Ball>& factors, const Ball& g) {
  Matrix<Ball> W = product(factors.Vh, transposed(A)), Z(W.rows(), W.cols());  // by columns
  for (std::int64_t k = 0; k < W.rows(); ++k) {
    const Ball& s = factors.S[static_cast<std::size_t>(k)];
    for (std::int64_t i = 0; i < W.cols(); ++i) {
      if (NumberTraits<Ball>::is_zero(s)) {
        Z(k, i) = std::exchange(W(k, i), factors.U(i, k));
      } else {
        W(k, i) /= s;
      }
    }
  }
  const Ball one(1), w = orthonormality(W), z = frobenius_norm(Z);
  const Ball shrink = sqrt(one - w), stretch = sqrt(one + w), shortest = sqrt(one - g), longest = sqrt(one + g);
  std::vector<Ends> ends;
  for (const Ball& s : factors.S) ends.push_back({(s * shrink - z) / longest, (s * stretch + z) / shortest});
  return ends;
}

/// The larger of two lower ends, the smaller of two upper ends; an end that is not finite bounds nothing.
inline Ball common(const Ends& a, const Ends& b) {
  const auto finite = [](const Ball& x) { return NumberTraits<Ball>::is_finite(x); };
  BigFloat lower(0), upper = NumberTraits<BigFloat>::infinity();
  for (const Ends* ends : {&a, &b}) {
    if (finite(ends->lower)) lower = std::max(lower, ends->lower.lower());
    if (finite(ends->upper)) upper = std::min(upper, ends->upper.upper());
  }
  return Ball::between(lower, upper);
}

/// Throws std::invalid_argument unless the factors are those that enclose_singular_values takes.
inline void expect_factors(const SvdFactors<BigFloat>& factors, std::int64_t M, std::int64_t N) {
  const std::int64_t K = std::min(M, N);
  const auto expect_shape = [](const char* name, const Matrix<BigFloat>& X, std::int64_t rows, std::int64_t cols) {
    if (X.rows() != rows || X.cols() != cols)
      refuse(name, " is [", X.rows(), ", ", X.cols(), "]: expected [", rows, ", ", cols, "]");
  };
  expect_shape("U", factors.U, M, K);
  expect_size("S", factors.S.size(), "min(M, N)", K);
  expect_shape("Vh", factors.Vh, K, N);
  for (std::size_t k = 0; k < factors.S.size(); ++k)
    if (!(factors.S[k] >= BigFloat(0)) || (k > 0 && !(factors.S[k] <= factors.S[k - 1])))
      refuse("S[", k, "] = ", factors.S[k], ": expected numbers of at least 0 that descend");
}

inline std::vector<Ball> enclose_tall(const Matrix<Ball>& A, const SvdFactors<Ball>& factors) {
  const Ball g = orthonormality(factors.Vh);
  const std::vector<Ends> absolute = ends_by_residual(A, factors, g), relative = ends_by_columns(A, factors, g);
  std::vector<Ball> enclosures;
  for (std::size_t k = 0; k < absolute.size(); ++k) enclosures.push_back(common(absolute[k], relative[k]));
  return enclosures;
}

}  // namespace detail

/// Enclosures [K] of the singular values of A, in the precision in force, about those of `approximation`: U [M, K], S
/// [K] descending and not negative, Vh [K, N]. Poor factors give wide enclosures, up to [0, inf).
/// Throws std::invalid_argument for factors of other shapes and an S that is not as stated.
inline std::vector<Ball> enclose_singular_values(const Matrix<BigFloat>& A, const SvdFactors<BigFloat>& approximation) {
  detail::expect_factors(approximation, A.rows(), A.cols());
  const Matrix<Ball> exact = detail::balls(A);
  SvdFactors<Ball> factors{detail::balls(approximation.U), {}, detail::balls(approximation.Vh)};
  for (const BigFloat& s : approximation.S) factors.S.emplace_back(s);
  if (A.rows() >= A.cols()) return detail::enclose_tall(exact, factors);
  return detail::enclose_tall(transposed(exact), {transposed(factors.Vh), factors.S, transposed(factors.U)});
}

}  // namespace assay::reference

#endif
