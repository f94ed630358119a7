// The gradient of a function L of U [M, K], S [K] and Vh [K, N] with respect to A [M, N] = U diag(S) Vh.
//
// With P = U^T dL/dU and Q = Vh (dL/dVh)^T, both [K, K], P~ = P - P^T and Q~ = Q - Q^T (Ionescu, Vantzos and
// Sminchisescu 2015, "Matrix backpropagation for deep networks with structured layers"; Townsend 2016,
// "Differentiating the singular value decomposition", with 1 / (s_j^2 - s_i^2) split into partial fractions):
//
//   dL/dA = U (diag(dL/dS) + X) Vh + (I - U U^T) dL/dU diag(1/S) Vh + U diag(1/S) dL/dVh (I - Vh^T Vh)
//   X_ij  = ((P~_ij + Q~_ij) / (s_j - s_i) + (P~_ij - Q~_ij) / (s_j + s_i)) / 2,   X_ii = 0
//
// The second term is that of tall matrices, the third that of wide ones; the derivation is in docs/derivation-svd.md.
//
// Where a denominator is 0, U and Vh are not unique, and a small change of A changes them by any amount. If the
// numerator is not 0 either, L changes with them and has no derivative: the term is *gauge dependent*. If it is 0, L
// may have one, but what dL/dU and dL/dVh say of it is 0 / 0: the term is *undetermined*. Both are taken as 0 and
// named, never an infinity; matrix_function.h has the gradient of functions for which it exists.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "reference/matrix.h"
#include "reference/number/traits.h"
#include "reference/refuse.h"
#include "reference/svd/problem.h"
#include "reference/svd/products.h"
#include "reference/svd/vectors.h"

namespace assay::reference {

/// The derivatives of L by the factors. An empty one stands for zeros.
template <class Number>
struct SvdCotangents {
  Matrix<Number> dU;       ///< [M, K]
  std::vector<Number> dS;  ///< [K]
  Matrix<Number> dVh;      ///< [K, N]
};

/// A term of the gradient: of the singular values i < j, that of 1 / (s_j -+ s_i); of i = j, that of 1 / s_i.
struct SvdTerm {
  std::int64_t i = 0;
  std::int64_t j = 0;

  bool operator==(const SvdTerm&) const = default;
};

/// dL/dA [M, N], and what of it was taken as 0.
template <class Number>
struct SvdGradient {
  Matrix<Number> dA;
  std::vector<SvdTerm> undetermined;     ///< 0 / 0; also i = j where s_i = 0 and dL/dS_i is not: S has a kink there
  std::vector<SvdTerm> gauge_dependent;  ///< not 0 / 0: L has no derivative at A
};

namespace detail {

/// Two numbers are equal, and a numerator is 0, within 16 (M + N) u of what they were computed from: the errors of
/// factors with the digits in force.
template <class Number>
Number gradient_slack(const SvdFactors<Number>& factors) {
  return Number(16 * (factors.U.rows() + factors.Vh.cols())) * NumberTraits<Number>::unit_roundoff();
}

/// The denominators, with those that are 0 told from those that are not.
template <class Number>
class GradientTerms {
 public:
  GradientTerms(const SvdFactors<Number>& factors, const SvdCotangents<Number>& cotangents)
      : values_(factors.S), slack_(gradient_slack(factors)), zero_(values_.empty() ? Number(0) : slack_ * values_[0]) {
    for (std::size_t k = 0; k < values_.size(); ++k) {
      const auto row = static_cast<std::int64_t>(k);
      scale_.push_back(norm<Number>(transposed(cotangents.dU).row(row)) + norm<Number>(cotangents.dVh.row(row)));
    }
  }

  bool is_zero(std::int64_t i) const { return s(i) <= zero_; }
  bool are_equal(std::int64_t i, std::int64_t j) const { return magnitude(Number(s(i) - s(j))) <= zero_; }
  const Number& s(std::int64_t i) const { return values_[static_cast<std::size_t>(i)]; }

  /// numerator / denominator, or 0 where the denominator is, and then noted.
  Number quotient(const Number& numerator, const Number& denominator, bool denominator_is_zero, SvdTerm term) {
    if (!denominator_is_zero) return numerator / denominator;
    note(magnitude(numerator), term);
    return Number(0);
  }
  /// Notes a term of a denominator 0, by its numerator.
  void note(const Number& numerator, SvdTerm term) {
    const Number scale = scale_[static_cast<std::size_t>(term.i)] + scale_[static_cast<std::size_t>(term.j)];
    std::vector<SvdTerm>& notes = numerator <= slack_ * scale ? undetermined : gauge_dependent;
    if (std::ranges::find(notes, term) == notes.end()) notes.push_back(term);
  }

  std::vector<SvdTerm> undetermined;
  std::vector<SvdTerm> gauge_dependent;

 private:
  const std::vector<Number>& values_;
  Number slack_;
  Number zero_;
  std::vector<Number> scale_;  // [K], that of dL/dU_k and dL/dVh_k
};

/// diag(dL/dS) + X.
template <class Number>
Matrix<Number> inner_gradient(const SvdFactors<Number>& factors, const SvdCotangents<Number>& cotangents,
                              GradientTerms<Number>& terms) {
  const auto minus_transpose = [](const Matrix<Number>& X) { return difference(X, transposed(X)); };
  const Matrix<Number> P = minus_transpose(product(transposed(factors.U), cotangents.dU));
  const Matrix<Number> Q = minus_transpose(product(factors.Vh, transposed(cotangents.dVh)));
  const std::int64_t K = P.rows();
  Matrix<Number> inner(K, K);
  for (std::int64_t i = 0; i < K; ++i) {
    inner(i, i) = cotangents.dS[static_cast<std::size_t>(i)];
    if (terms.is_zero(i) && !NumberTraits<Number>::is_zero(inner(i, i))) terms.note(Number(0), {i, i});
    for (std::int64_t j = i + 1; j < K; ++j) {
      const Number difference = terms.s(j) - terms.s(i), sum = terms.s(j) + terms.s(i);
      const Number by_difference = terms.quotient(P(i, j) + Q(i, j), difference, terms.are_equal(i, j), {i, j});
      const Number by_sum = terms.quotient(P(i, j) - Q(i, j), sum, terms.is_zero(i) && terms.is_zero(j), {i, j});
      inner(i, j) = (by_difference + by_sum) / Number(2);  // both numerators and the difference change sign with i, j
      inner(j, i) = (by_difference - by_sum) / Number(2);
    }
  }
  return inner;
}

/// diag(1/S) X (I - Y^T Y), of X [K, n] and orthonormal rows Y [K, n]; rows of s_i = 0 become 0, and are noted by their
/// length. All of it is 0 where Y is square.
template <class Number>
Matrix<Number> outer_gradient(Matrix<Number> X, const Matrix<Number>& Y, GradientTerms<Number>& terms) {
  if (Y.rows() == Y.cols()) return Matrix<Number>(X.rows(), X.cols());
  X = difference(X, product(product(X, transposed(Y)), Y));
  for (std::int64_t i = 0; i < X.rows(); ++i) {
    if (terms.is_zero(i)) terms.note(norm<Number>(X.row(i)), {i, i});
    for (Number& element : X.row(i)) element = terms.is_zero(i) ? Number(0) : Number(element / terms.s(i));
  }
  return X;
}

template <class Number>
void fill_in_zeros(SvdCotangents<Number>& cotangents, const SvdFactors<Number>& factors) {
  const auto fill = [](const char* name, Matrix<Number>& X, const Matrix<Number>& like) {
    if (X.rows() == 0 && X.cols() == 0) X = Matrix<Number>(like.rows(), like.cols());
    if (X.rows() != like.rows() || X.cols() != like.cols())
      refuse(name, " is [", X.rows(), ", ", X.cols(), "]: expected [", like.rows(), ", ", like.cols(), "]");
  };
  fill("dU", cotangents.dU, factors.U);
  if (cotangents.dS.empty()) cotangents.dS.resize(factors.S.size(), Number(0));
  expect_size("dS", cotangents.dS.size(), "K", static_cast<std::int64_t>(factors.S.size()));
  fill("dVh", cotangents.dVh, factors.Vh);
}

}  // namespace detail

/// dL/dA of thin factors, U^T U = Vh Vh^T = I, with the digits in force. Throws std::invalid_argument for a derivative
/// of another shape than its factor's.
template <class Number>
SvdGradient<Number> svd_gradient(const SvdFactors<Number>& factors, SvdCotangents<Number> cotangents) {
  detail::fill_in_zeros(cotangents, factors);
  detail::GradientTerms<Number> terms(factors, cotangents);
  Matrix<Number> dA = product(product(factors.U, detail::inner_gradient(factors, cotangents, terms)), factors.Vh);
  const Matrix<Number> of_U = detail::outer_gradient(transposed(cotangents.dU), transposed(factors.U), terms);
  const Matrix<Number> of_Vh = detail::outer_gradient(cotangents.dVh, factors.Vh, terms);
  add(dA, product(transposed(of_U), factors.Vh));
  add(dA, product(factors.U, of_Vh));
  return {std::move(dA), std::move(terms.undetermined), std::move(terms.gauge_dependent)};
}

}  // namespace assay::reference
