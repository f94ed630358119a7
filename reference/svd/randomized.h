// The randomised SVD (Halko, Martinsson and Tropp 2011, "Finding structure with randomness", SIAM Review 53): the
// `rank` largest singular triplets of A [M, N], nearly, at the price of a few products.
//
//   l = min(rank + oversampling, K)                     dimensions of the subspace
//   Q = orth(A Omega),   Omega [N, l] = gaussian_matrix(seed, N, l)
//   Q = orth(A orth(A^T Q))     power_iterations times  algorithm 4.4: without orth between the products the small
//                                                       singular values would drown in rounding
//   B = Q^T A [l, N] = U~ diag(S) Vh,   U = Q U~        algorithm 5.1, by Jacobi
//
// The result is the first `rank` of these triplets. How large ||A - U diag(S) Vh|| is: randomized_bounds.h.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

#include "reference/matrix.h"
#include "reference/number/traits.h"
#include "reference/svd/gaussian.h"
#include "reference/svd/jacobi.h"
#include "reference/svd/orthonormal.h"
#include "reference/svd/preconditioned.h"
#include "reference/svd/problem.h"
#include "reference/svd/products.h"
#include "reference/svd/signs.h"
#include "reference/svd/validate.h"

namespace assay::reference {

/// l, of a matrix with K = min(M, N).
inline std::int64_t subspace_dimensions(const RandomizedSvd& randomized, std::int64_t K) {
  return randomized.rank + std::min(randomized.oversampling, K - randomized.rank);
}

namespace detail {

/// Q^T [l, M], of A [M, N].
template <class Number>
Matrix<Number> range_finder(const Matrix<Number>& A, const Matrix<Number>& At, const RandomizedSvd& randomized) {
  const std::int64_t l = subspace_dimensions(randomized, std::min(A.rows(), A.cols()));
  const Matrix<Number> Omega = numbers<Number>(gaussian_matrix(randomized.seed, A.cols(), l));
  Matrix<Number> Qt = product(transposed(Omega), At);
  make_orthonormal(Qt);
  for (std::int64_t iteration = 0; iteration < randomized.power_iterations; ++iteration) {
    Matrix<Number> of_rows = product(Qt, A);
    make_orthonormal(of_rows);
    Qt = product(of_rows, At);
    make_orthonormal(Qt);
  }
  return Qt;
}

template <class Number>
Matrix<Number> first_rows(const Matrix<Number>& A, std::int64_t count) {
  Matrix<Number> result(count, A.cols());
  for (std::int64_t i = 0; i < count; ++i) std::ranges::copy(A.row(i), result.row(i).begin());
  return result;
}

}  // namespace detail

/// U [M, rank], S [rank], Vh [rank, N], with the digits in force. Throws std::invalid_argument where `validate` does,
/// and as jacobi_svd.
template <class Number>
SvdFactors<Number> randomized_svd(const Matrix<Number>& A, const RandomizedSvd& randomized) {
  validate(randomized, SvdProblem<double>{1, A.rows(), A.cols(), {}});
  detail::expect_finite(A);
  const Matrix<Number> Qt = detail::range_finder(A, transposed(A), randomized);
  SvdFactors<Number> factors = jacobi_svd(product(Qt, A));
  factors.U = transposed(detail::first_rows(product(transposed(factors.U), Qt), randomized.rank));
  factors.S.resize(static_cast<std::size_t>(randomized.rank));
  factors.Vh = detail::first_rows(factors.Vh, randomized.rank);
  make_signs_canonical(factors);
  return factors;
}

}  // namespace assay::reference
