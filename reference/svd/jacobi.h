// The singular value decomposition by one-sided Jacobi (Hestenes 1958; Demmel and Veselic 1992; Drmac and Veselic 2008,
// "New fast and accurate Jacobi SVD algorithm"), in numbers of any precision.
//
// Rotations V make the columns of A [M, N], M >= N, orthogonal; then
//
//   A V = U diag(S):   S_j = ||(A V)_j||,   U_j = (A V)_j / S_j,   Vh = V^T
//
// A wide matrix is decomposed by its transpose. Columns are orthogonal where, for all pairs,
//
//   |a_i . a_j| <= sqrt(M) 2 u ||a_i|| ||a_j||          u the unit roundoff of the precision in force
//
// which is relative to the columns, so that neither the scale of A nor that of a column matters. For A = B diag(d),
// every singular value then has an error relative to itself of a multiple of u and of the condition of B, however small
// an element of d (Demmel and Veselic 1992).
//
// Where rank is missing, columns become 0 as columns.h states it; their S is 0, and U is completed by orthonormal
// vectors: U^T U = Vh Vh^T = I whatever the rank.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <sstream>
#include <stdexcept>
#include <utility>
#include <vector>

#include "reference/matrix.h"
#include "reference/number/traits.h"
#include "reference/refuse.h"
#include "reference/svd/columns.h"
#include "reference/svd/orthonormal.h"
#include "reference/svd/problem.h"
#include "reference/svd/products.h"
#include "reference/svd/scaling.h"
#include "reference/svd/signs.h"
#include "reference/svd/sweep.h"

namespace assay::reference {

struct JacobiOptions {
  JacobiOrdering ordering = JacobiOrdering::de_rijk;
  int sweep_limit = 60;  ///< at least 1; some log2(N) + log2(digits) + 3 are needed
};

/// The default `visit`, which does nothing.
struct NoVisit {
  template <class Sweep>
  void operator()(const Sweep&) const {}
};

namespace detail {

/// Throws std::invalid_argument at an element that is not finite.
template <class Number>
void expect_finite(const Matrix<Number>& A) {
  for (std::int64_t i = 0; i < A.rows(); ++i)
    for (std::int64_t j = 0; j < A.cols(); ++j)
      if (!NumberTraits<Number>::is_finite(A(i, j)))
        refuse("A[i=", i, ", j=", j, "] = ", A(i, j), ": expected a finite number");
}

/// Sweeps until all columns are orthogonal.
template <class Number, class Visit>
void orthogonalize(JacobiColumns<Number>& columns, const JacobiOptions& options, Visit& visit) {
  const Number u = NumberTraits<Number>::unit_roundoff();
  const Number threshold = NumberTraits<Number>::sqrt(Number(columns.AV.cols())) * (u + u);
  JacobiSweep<Number> met;
  for (int sweep = 1; sweep <= options.sweep_limit; ++sweep) {
    const double rotations = static_cast<double>(columns.count()) * sweep;
    met = jacobi_sweep(columns, options.ordering, threshold, Number(4 * std::sqrt(rotations)) * u);
    met.sweep = sweep;
    visit(std::as_const(met));
    if (met.rotations == 0) return;
  }
  std::ostringstream message;
  message << "jacobi_svd: after " << options.sweep_limit << " sweeps the worst cosine is " << met.worst_cosine
          << ": expected at most " << threshold;
  throw std::runtime_error(message.str());
}

/// S descending with U and Vh in its order, of orthogonal columns.
template <class Number>
SvdFactors<Number> factors_of(const JacobiColumns<Number>& columns) {
  const std::int64_t N = columns.count();
  std::vector<std::int64_t> order(static_cast<std::size_t>(N));
  std::iota(order.begin(), order.end(), 0);
  const auto norm_of = [&](std::int64_t j) -> const Number& { return columns.norms[static_cast<std::size_t>(j)]; };
  std::ranges::stable_sort(order, [&](std::int64_t i, std::int64_t j) { return norm_of(i) > norm_of(j); });
  Matrix<Number> U(N, columns.AV.cols()), Vh(N, N);  // U by columns
  SvdFactors<Number> factors;
  std::int64_t rank = 0;
  for (std::int64_t k = 0; k < N; ++k) {
    const std::int64_t j = order[static_cast<std::size_t>(k)];
    factors.S.push_back(norm_of(j));
    std::ranges::copy(columns.V.row(j), Vh.row(k).begin());
    if (NumberTraits<Number>::is_zero(norm_of(j))) continue;
    std::ranges::copy(columns.AV.row(j), U.row(k).begin());
    divide<Number>(U.row(k), norm_of(j));
    rank = k + 1;
  }
  complete_orthonormal(U, rank);
  factors.U = transposed(U);
  factors.Vh = std::move(Vh);
  return factors;
}

/// The factors of the A of which `columns` hold A V and V.
template <class Number, class Visit>
SvdFactors<Number> jacobi_factors(JacobiColumns<Number> columns, const JacobiOptions& options, Visit& visit) {
  for (std::int64_t j = 0; j < columns.count(); ++j)
    if (columns.norms[static_cast<std::size_t>(j)] < min_norm<Number>()) set_to_zero(columns, j);
  orthogonalize(columns, options, visit);
  return factors_of(columns);
}

/// The factors of A from those of A^T.
template <class Number>
SvdFactors<Number> exchanged(SvdFactors<Number> factors) {
  return {transposed(factors.Vh), std::move(factors.S), transposed(factors.U)};
}

}  // namespace detail

/// U [M, K], S [K], Vh [K, N] of A [M, N], K = min(M, N), to the precision in force; an extent may be 0. `visit(sweep)`
/// is shown a JacobiSweep<Number> after each sweep; the last one has no rotations.
/// Throws std::invalid_argument at an element that is not finite and for a sweep limit below 1, and std::runtime_error,
/// naming the worst cosine, where the limit is reached.
template <class Number, class Visit = NoVisit>
SvdFactors<Number> jacobi_svd(const Matrix<Number>& A, const JacobiOptions& options = {}, Visit visit = {}) {
  detail::expect_at_least("sweep_limit", options.sweep_limit, 1);
  detail::expect_finite(A);
  if (A.rows() < A.cols()) {
    SvdFactors<Number> factors = detail::exchanged(jacobi_svd(transposed(A), options, visit));
    make_signs_canonical(factors);
    return factors;
  }
  const int exponent = scaling_exponent(A);
  const auto rounded = [&](const Number& x) {
    return Number(Number(0) + scaled(x, exponent));
  };  // to the precision in force
  SvdFactors<Number> factors =
      detail::jacobi_factors(jacobi_columns(transposed(map(A, rounded)), identity<Number>(A.cols())), options, visit);
  for (Number& s : factors.S) s = scaled(s, -exponent);
  make_signs_canonical(factors);
  return factors;
}

}  // namespace assay::reference
