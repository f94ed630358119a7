// The statement of the singular value decomposition: plain data, no computation. Reference, kernels and gate all take
// it.
//
//   B matrices of M rows and N columns, K = min(M, N)
//   A   [B, M, N]   row-major
//
//   A_b = U_b diag(S_b) Vh_b,   U [B, M, K],   S [B, K],   Vh [B, K, N]           thin factors
//
//   U_b^T U_b = Vh_b Vh_b^T = I, whatever the rank of A_b;   S_b descending, none negative.
//
// Where singular values are equal, or 0, U and Vh are not unique; nor are the signs of a pair of singular vectors.
// This project's kernels make them canonical: of each column of U, the first of the elements of largest magnitude is
// positive.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "reference/matrix.h"

namespace assay::reference {

/// A view of a batch of matrices; the caller owns what the span points at.
template <class Real>
struct SvdProblem {
  std::int64_t B = 0;
  std::int64_t M = 1;
  std::int64_t N = 1;
  std::span<const Real> A;

  std::int64_t K() const { return std::min(M, N); }
};

/// Thin factors of one matrix [M, N] in numbers of any kind, K = min(M, N).
template <class Number>
struct SvdFactors {
  Matrix<Number> U;       ///< [M, K]
  std::vector<Number> S;  ///< [K], descending
  Matrix<Number> Vh;      ///< [K, N]
};

/// The type of the singular values of matrices of Real: float for the types of 16 bits, whose range is too small for
/// the singular values of some of their matrices.
template <class Real>
using SingularValue = std::conditional_t<std::is_same_v<Real, double>, double, float>;

/// The rSVD of Halko, Martinsson and Tropp (SIAM Review 53, 2011), algorithms 4.4 and 5.1: the `rank` largest singular
/// values and their vectors, in the place of K, from a random subspace of rank + oversampling dimensions.
struct RandomizedSvd {
  std::int64_t rank = 1;              ///< in [1, K]
  std::int64_t oversampling = 10;     ///< at least 0; what exceeds K - rank is left out
  std::int64_t power_iterations = 2;  ///< at least 0
  std::uint64_t seed = 0;
};

}  // namespace assay::reference
