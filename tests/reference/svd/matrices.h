// Matrices to decompose, and what must hold of their factors.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "reference/matrix.h"
#include "reference/number/big_float.h"
#include "reference/number/traits.h"
#include "reference/svd/jacobi.h"
#include "reference/svd/problem.h"
#include "reference/svd/products.h"
#include "reference/svd/vectors.h"
#include "tests/reference/expect.h"

namespace assay::reference::tests {

/// element(i, j) of all i and j.
template <class Number, class Element>
Matrix<Number> matrix_from(std::int64_t M, std::int64_t N, Element element) {
  Matrix<Number> A(M, N);
  for (std::int64_t i = 0; i < M; ++i)
    for (std::int64_t j = 0; j < N; ++j) A(i, j) = Number(element(i, j));
  return A;
}

/// Normally distributed elements that a float holds.
template <class Number>
Matrix<Number> random_matrix(std::int64_t M, std::int64_t N, unsigned seed = 1) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal(0, 1);
  return matrix_from<Number>(M, N, [&](std::int64_t, std::int64_t) { return normal(random); });
}

/// 1 / (i + j + 1).
template <class Number>
Matrix<Number> hilbert(std::int64_t n) {
  return matrix_from<Number>(n, n, [](std::int64_t i, std::int64_t j) { return Number(1) / Number(i + j + 1); });
}

/// A random matrix with columns of lengths 1, ratio, ratio^2, ..., in a shuffled order.
template <class Number>
Matrix<Number> graded_columns(std::int64_t M, std::int64_t N, const Number& ratio, unsigned seed = 3) {
  std::vector<std::int64_t> places(static_cast<std::size_t>(N));
  for (std::int64_t j = 0; j < N; ++j) places[static_cast<std::size_t>(j)] = j;
  std::shuffle(places.begin(), places.end(), std::mt19937(seed));
  Matrix<Number> A = random_matrix<Number>(M, N, seed);
  Number length(1);
  for (const std::int64_t j : places) {
    for (std::int64_t i = 0; i < M; ++i) A(i, j) *= length;
    length *= ratio;
  }
  return A;
}

/// Q diag(d) P of integer matrices with Q Q^T = P P^T = 30 I: [4, 4], of singular values 30 d.
inline Matrix<BigFloat> with_singular_values_times_30(const std::vector<BigFloat>& d) {
  const int Q[4][4] = {{1, -2, -3, -4}, {2, 1, -4, 3}, {3, 4, 1, -2}, {4, -3, 2, 1}};
  const int P[4][4] = {{2, 1, 5, 0}, {-1, 2, 0, 5}, {-5, 0, 2, -1}, {0, -5, 1, 2}};
  return matrix_from<BigFloat>(4, 4, [&](auto i, auto j) {
    BigFloat sum(0);
    for (std::size_t k = 0; k < 4; ++k) sum += BigFloat(Q[i][k]) * d[k] * BigFloat(P[k][j]);
    return sum;
  });
}

/// The same with three columns of Q and P P^T = 9 I: [4, 3], of singular values sqrt(270) d.
inline Matrix<BigFloat> tall_with_singular_values(const std::vector<BigFloat>& d) {
  const int Q[4][3] = {{1, -2, -3}, {2, 1, -4}, {3, 4, 1}, {4, -3, 2}};
  const int P[3][3] = {{2, -1, 2}, {2, 2, -1}, {-1, 2, 2}};
  return matrix_from<BigFloat>(4, 3, [&](auto i, auto j) {
    BigFloat sum(0);
    for (std::size_t k = 0; k < 3; ++k) sum += BigFloat(Q[i][k]) * d[k] * BigFloat(P[k][j]);
    return sum;
  });
}

/// 1, ratio, ratio^2, ...: [K].
inline std::vector<double> decaying(std::int64_t K, double ratio) {
  std::vector<double> sigma;
  for (std::int64_t k = 0; k < K; ++k) sigma.push_back(std::pow(ratio, static_cast<double>(k)));
  return sigma;
}

/// [M, N] of singular values `sigma`, between random orthonormal vectors.
inline Matrix<double> with_singular_values(std::int64_t M, std::int64_t N, const std::vector<double>& sigma) {
  SvdFactors<double> factors = jacobi_svd(random_matrix<double>(M, N, 11));
  factors.S = sigma;
  return reconstruct(factors);
}

/// The largest |A_ij - B_ij|; a NaN is larger than anything.
template <class Number>
Number distance(const Matrix<Number>& A, const Matrix<Number>& B) {
  Number largest(0);
  if (A.rows() != B.rows() || A.cols() != B.cols()) return NumberTraits<Number>::infinity();
  for (std::int64_t i = 0; i < A.rows(); ++i)
    for (std::int64_t j = 0; j < A.cols(); ++j) {
      const Number error = magnitude(Number(A(i, j) - B(i, j)));
      if (!(error <= largest)) largest = error;
      if (NumberTraits<Number>::is_nan(largest)) return NumberTraits<Number>::infinity();
    }
  return largest;
}

/// Fails unless shapes and signs are right, U^T U = Vh Vh^T = I and A = U diag(S) Vh within `bound` (A relative to
/// S_0), and S descends and is not negative.
template <class Number>
void expect_factors(const Matrix<Number>& A, const SvdFactors<Number>& factors, const Number& bound) {
  const std::int64_t M = A.rows(), N = A.cols(), K = std::min(M, N);
  ASSERT_TRUE(factors.U.rows() == M && factors.U.cols() == K);
  ASSERT_TRUE(factors.Vh.rows() == K && factors.Vh.cols() == N);
  ASSERT_EQ(factors.S.size(), static_cast<std::size_t>(K));
  if (K == 0) return;
  EXPECT_LE(distance(product(transposed(factors.U), factors.U), identity<Number>(K)), bound);
  EXPECT_LE(distance(product(factors.Vh, transposed(factors.Vh)), identity<Number>(K)), bound);
  EXPECT_LE(distance(reconstruct(factors), A), bound * factors.S[0]);
  EXPECT_TRUE(std::ranges::is_sorted(factors.S, [](const Number& a, const Number& b) { return a > b; }));
  EXPECT_TRUE(std::ranges::all_of(factors.S, [](const Number& s) { return s >= Number(0); }));
  for (std::int64_t k = 0; k < K; ++k) {
    Number largest(0);
    for (std::int64_t i = 0; i < M; ++i)
      if (magnitude(factors.U(i, k)) > magnitude(largest)) largest = factors.U(i, k);
    EXPECT_GT(largest, Number(0)) << "column " << k;
  }
}

/// Fails unless U and Vh are within `bound` of those wanted, and each S_k within `bound` relative to itself.
template <class Number>
void expect_same(const SvdFactors<Number>& got, const SvdFactors<Number>& want, const Number& bound) {
  expect_relatively_near(got.S, want.S, bound);
  EXPECT_LE(distance(got.U, want.U), bound);
  EXPECT_LE(distance(got.Vh, want.Vh), bound);
}

}  // namespace assay::reference::tests
