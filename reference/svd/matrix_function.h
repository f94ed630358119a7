// Gradients of functions of A [M, N] that do not depend on the choice of U and Vh, in a form that is finite wherever
// the gradient exists: also where singular values are equal or 0.
//
// A sum of singular values (Lewis 1995, "The convex analysis of unitarily invariant matrix functions"):
//
//   L = sum_i f(s_i):   dL/dA = U diag(f'(S)) Vh
//
// A generalised matrix function, of an odd g (Hawkins and Ben-Israel 1973; Noferini 2017, "A formula for the Frechet
// derivative of a generalized matrix function", which extends that of Daleckii and Krein):
//
//   L = <W, G(A)> = sum_ij W_ij G(A)_ij,   G(A) = U g(diag(S)) Vh
//   dL/dA = U C Vh + (I - U U^T) W V diag(g(S) / S) Vh + U diag(g(S) / S) U^T W (I - V V^T)
//   C_ij  = g[s_i, s_j] (H_ij + H_ji) / 2 + g[s_i, -s_j] (H_ij - H_ji) / 2,   H = U^T W V
//
// with the divided difference g[x, y] = (g(x) - g(y)) / (x - y), g[x, x] = g'(x); as g is odd, g[s, -t] = (g(s) + g(t))
// / (s + t), and g(s) / s = g[s, 0]. None of them has a denominator that can become 0 without the numerator.
//
// Where |x - y| <= u^(1/3) s_0, the derivative midway takes the place of the difference: errors of u / |x - y| on the
// one side and of |x - y|^2 on the other leave two thirds of the digits there, and all of them elsewhere and at x = y.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "reference/matrix.h"
#include "reference/number/traits.h"
#include "reference/refuse.h"
#include "reference/svd/gradient.h"
#include "reference/svd/problem.h"
#include "reference/svd/products.h"
#include "reference/svd/vectors.h"

namespace assay::reference {

/// dL/dA of L = sum_i f(s_i), given f'. Where s_i = 0 and f'(0) is not, L has no derivative (u_i v_i^T is not unique),
/// and the term {i, i} is taken as 0 and named as gauge dependent.
template <class Number, class Derivative>
SvdGradient<Number> spectral_sum_gradient(const SvdFactors<Number>& factors, Derivative f_derivative) {
  SvdGradient<Number> gradient;
  std::vector<Number> slopes;
  for (const Number& s : factors.S) {
    const auto i = static_cast<std::int64_t>(slopes.size());
    const bool is_zero = s <= detail::gradient_slack(factors) * factors.S[0];
    slopes.push_back(f_derivative(is_zero ? Number(0) : s));
    if (!is_zero || NumberTraits<Number>::is_zero(slopes.back())) continue;
    slopes.back() = Number(0);
    gradient.gauge_dependent.push_back({i, i});
  }
  gradient.dA = product(with_columns_scaled(factors.U, slopes), factors.Vh);
  return gradient;
}

namespace detail {

/// g[x, y].
template <class Number, class Function, class Derivative>
Number divided_difference(Function& g, Derivative& g_derivative, const Number& x, const Number& y, const Number& near) {
  const Number gap = x - y;
  if (magnitude(gap) <= near) return g_derivative((x + y) / Number(2));
  return (g(x) - g(y)) / gap;
}

}  // namespace detail

/// dL/dA of L = <W, U g(diag(S)) Vh>, given an odd g and its derivative, for arguments of either sign.
/// Throws std::invalid_argument for a W that is not [M, N].
template <class Number, class Function, class Derivative>
Matrix<Number> matrix_function_gradient(const SvdFactors<Number>& factors, const Matrix<Number>& W, Function g,
                                        Derivative g_derivative) {
  using Traits = NumberTraits<Number>;
  if (W.rows() != factors.U.rows() || W.cols() != factors.Vh.cols())
    detail::refuse("W is [", W.rows(), ", ", W.cols(), "]: expected [", factors.U.rows(), ", ", factors.Vh.cols(), "]");
  const std::vector<Number>& S = factors.S;
  if (S.empty()) return W;
  const Number near = Traits::exp(Traits::log(Traits::unit_roundoff()) / Number(3)) * S[0];
  const auto difference_of = [&](const Number& x, const Number& y) {
    return detail::divided_difference(g, g_derivative, x, y, near);
  };
  const Matrix<Number> V = transposed(factors.Vh), Ut = transposed(factors.U);
  const Matrix<Number> UtW = product(Ut, W), WV = product(W, V), H = product(UtW, V);
  Matrix<Number> C(H.rows(), H.cols());
  std::vector<Number> ratios;
  for (std::size_t i = 0; i < S.size(); ++i) {
    ratios.push_back(difference_of(S[i], Number(0)));
    for (std::size_t j = 0; j < S.size(); ++j) {
      const auto at = static_cast<std::int64_t>(i), beside = static_cast<std::int64_t>(j);
      const Number even = H(at, beside) + H(beside, at), odd = H(at, beside) - H(beside, at);
      C(at, beside) = (difference_of(S[i], S[j]) * even + difference_of(S[i], Number(-S[j])) * odd) / Number(2);
    }
  }
  Matrix<Number> dA = product(product(factors.U, C), factors.Vh);
  add(dA, product(with_columns_scaled(difference(WV, product(factors.U, H)), ratios), factors.Vh));
  add(dA, product(with_columns_scaled(factors.U, ratios), difference(UtW, product(H, factors.Vh))));
  return dA;
}

}  // namespace assay::reference
