// Functions of the factors U, S and Vh that do not depend on signs, with their derivatives by the factors, to test
// gradients on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "reference/matrix.h"
#include "reference/number/big_float.h"
#include "reference/svd/gradient.h"
#include "reference/svd/problem.h"
#include "reference/svd/products.h"

namespace assay::reference::tests {

/// sum_ij A_ij B_ij.
inline BigFloat inner(const Matrix<BigFloat>& A, const Matrix<BigFloat>& B) {
  BigFloat sum(0);
  for (std::int64_t i = 0; i < A.rows(); ++i)
    for (std::int64_t j = 0; j < A.cols(); ++j) add_product(sum, A(i, j), B(i, j));
  return sum;
}

/// A with every element times B's.
inline Matrix<BigFloat> hadamard(Matrix<BigFloat> A, const Matrix<BigFloat>& B) {
  for (std::int64_t i = 0; i < A.rows(); ++i)
    for (std::int64_t j = 0; j < A.cols(); ++j) A(i, j) *= B(i, j);
  return A;
}

/// L = sum_k w_k s_k.
struct WeightedValues {
  std::vector<BigFloat> w;

  BigFloat operator()(const SvdFactors<BigFloat>& f) const {
    BigFloat sum(0);
    for (std::size_t k = 0; k < f.S.size(); ++k) sum += w[k] * f.S[k];
    return sum;
  }
  SvdCotangents<BigFloat> cotangents(const SvdFactors<BigFloat>&) const { return {{}, w, {}}; }
};

/// L = sum_ik C_ik U_ik^2 + sum_kj D_kj Vh_kj^2.
struct WeightedSquares {
  Matrix<BigFloat> C;  // [M, K]
  Matrix<BigFloat> D;  // [K, N]

  BigFloat operator()(const SvdFactors<BigFloat>& f) const {
    return inner(C, hadamard(f.U, f.U)) + inner(D, hadamard(f.Vh, f.Vh));
  }
  SvdCotangents<BigFloat> cotangents(const SvdFactors<BigFloat>& f) const {
    SvdCotangents<BigFloat> result{hadamard(C, f.U), {}, hadamard(D, f.Vh)};
    add(result.dU, hadamard(C, f.U)), add(result.dVh, hadamard(D, f.Vh));
    return result;
  }
};

/// L = <W, U g(S) Vh> with g(x) = x / (1 + x^2).
struct MatrixFunction {
  Matrix<BigFloat> W;  // [M, N]

  static BigFloat g(const BigFloat& x) { return x / (BigFloat(1) + x * x); }
  static BigFloat g_derivative(const BigFloat& x) {
    const BigFloat below = BigFloat(1) + x * x;
    return (BigFloat(1) - x * x) / (below * below);
  }
  static std::vector<BigFloat> of_values(const SvdFactors<BigFloat>& f) {
    std::vector<BigFloat> values;
    for (const BigFloat& s : f.S) values.push_back(g(s));
    return values;
  }

  BigFloat operator()(const SvdFactors<BigFloat>& f) const {
    return inner(W, product(with_columns_scaled(f.U, of_values(f)), f.Vh));
  }
  SvdCotangents<BigFloat> cotangents(const SvdFactors<BigFloat>& f) const {
    const Matrix<BigFloat> WV = product(W, transposed(f.Vh)), UtW = product(transposed(f.U), W);
    const Matrix<BigFloat> H = product(UtW, transposed(f.Vh));
    SvdCotangents<BigFloat> result;
    result.dU = with_columns_scaled(WV, of_values(f));
    result.dVh = transposed(with_columns_scaled(transposed(UtW), of_values(f)));
    for (std::size_t k = 0; k < f.S.size(); ++k) {
      const auto at = static_cast<std::int64_t>(k);
      result.dS.push_back(H(at, at) * g_derivative(f.S[k]));
    }
    return result;
  }
};

}  // namespace assay::reference::tests
