// Transposes and products of matrices, and the product that factors stand for.
#pragma once

#include <cstdint>
#include <vector>

#include "reference/matrix.h"
#include "reference/number/traits.h"
#include "reference/svd/problem.h"

namespace assay::reference {

template <class Number>
Matrix<Number> identity(std::int64_t n) {
  Matrix<Number> result(n, n);
  for (std::int64_t i = 0; i < n; ++i) result(i, i) = Number(1);
  return result;
}

/// A^T.
template <class Number>
Matrix<Number> transposed(const Matrix<Number>& A) {
  Matrix<Number> result(A.cols(), A.rows());
  for (std::int64_t i = 0; i < A.rows(); ++i)
    for (std::int64_t j = 0; j < A.cols(); ++j) result(j, i) = A(i, j);
  return result;
}

/// A B, of A [m, k] and B [k, n].
template <class Number>
Matrix<Number> product(const Matrix<Number>& A, const Matrix<Number>& B) {
  Matrix<Number> result(A.rows(), B.cols());
  for (std::int64_t i = 0; i < A.rows(); ++i)
    for (std::int64_t k = 0; k < A.cols(); ++k)
      for (std::int64_t j = 0; j < B.cols(); ++j) add_product(result(i, j), A(i, k), B(k, j));
  return result;
}

/// sum += X.
template <class Number>
void add(Matrix<Number>& sum, const Matrix<Number>& X) {
  for (std::int64_t i = 0; i < sum.rows(); ++i)
    for (std::int64_t j = 0; j < sum.cols(); ++j) sum(i, j) += X(i, j);
}

/// A diag(d), of A [m, n] and d [n].
template <class Number>
Matrix<Number> with_columns_scaled(Matrix<Number> A, const std::vector<Number>& d) {
  for (std::int64_t i = 0; i < A.rows(); ++i)
    for (std::int64_t j = 0; j < A.cols(); ++j) A(i, j) *= d[static_cast<std::size_t>(j)];
  return A;
}

/// U diag(S) Vh.
template <class Number>
Matrix<Number> reconstruct(const SvdFactors<Number>& factors) {
  return product(with_columns_scaled(factors.U, factors.S), factors.Vh);
}

}  // namespace assay::reference
