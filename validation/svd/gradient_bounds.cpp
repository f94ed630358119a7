#include "validation/svd/gradient_bounds.h"

#include <algorithm>
#include <cmath>

#include "reference/matrix.h"

namespace assay::validation {
namespace {

using Magnitudes = reference::Matrix<double>;

Magnitudes sizes(std::int64_t rows, std::int64_t columns, std::span<const double> values) {
  Magnitudes m(rows, columns);
  for (std::int64_t i = 0; i < rows && !values.empty(); ++i)
    for (std::int64_t j = 0; j < columns; ++j) m(i, j) = std::abs(values[static_cast<std::size_t>(i * columns + j)]);
  return m;
}

Magnitudes transposed(const Magnitudes& a) {
  Magnitudes t(a.cols(), a.rows());
  for (std::int64_t i = 0; i < a.rows(); ++i)
    for (std::int64_t j = 0; j < a.cols(); ++j) t(j, i) = a(i, j);
  return t;
}

Magnitudes product(const Magnitudes& a, const Magnitudes& b) {
  Magnitudes c(a.rows(), b.cols());
  for (std::int64_t i = 0; i < a.rows(); ++i)
    for (std::int64_t k = 0; k < a.cols(); ++k)
      for (std::int64_t j = 0; j < b.cols(); ++j) c(i, j) += a(i, k) * b(k, j);
  return c;
}

void add(Magnitudes& sum, const Magnitudes& a) {
  for (std::int64_t i = 0; i < a.rows(); ++i)
    for (std::int64_t j = 0; j < a.cols(); ++j) sum(i, j) += a(i, j);
}

double inverse(double s) {
  return s == 0 ? 0 : 1 / std::abs(s);
}

/// diag|dS| + X.
Magnitudes middle(const metal::SvdCotangent<double>& given, const Magnitudes& P, const Magnitudes& Q) {
  Magnitudes X(P.rows(), P.cols());
  for (std::int64_t i = 0; i < X.rows(); ++i) {
    for (std::int64_t j = 0; j < X.cols(); ++j) {
      const double s_i = given.S[static_cast<std::size_t>(i)], s_j = given.S[static_cast<std::size_t>(j)];
      X(i, j) = (P(i, j) + P(j, i) + Q(i, j) + Q(j, i)) * (inverse(s_j - s_i) + inverse(s_j + s_i)) / 2;
    }
    X(i, i) = given.dS.empty() ? 0 : std::abs(given.dS[static_cast<std::size_t>(i)]);
  }
  return X;
}

}  // namespace

std::vector<double> gradient_bounds(const metal::SvdCotangent<double>& given) {
  const std::int64_t M = given.M, N = given.N, K = std::min(M, N);
  const Magnitudes U = sizes(M, K, given.U), Vh = sizes(K, N, given.Vh);
  Magnitudes tall = sizes(M, K, given.dU), wide = sizes(K, N, given.dVh);
  const Magnitudes P = product(transposed(U), tall), Q = product(Vh, transposed(wide));
  add(tall, product(U, P));
  add(wide, product(transposed(Q), Vh));
  for (std::int64_t k = 0; k < K; ++k) {
    const double by = inverse(given.S[static_cast<std::size_t>(k)]);
    for (std::int64_t i = 0; i < M; ++i) tall(i, k) *= by;
    for (std::int64_t j = 0; j < N; ++j) wide(k, j) *= by;
  }
  Magnitudes sum = product(product(U, middle(given, P, Q)), Vh);
  add(sum, product(tall, Vh));
  add(sum, product(U, wide));
  const double operations = static_cast<double>(M + N + 3 * K + 16);
  std::vector<double> bounds;
  for (std::int64_t i = 0; i < M; ++i)
    for (std::int64_t j = 0; j < N; ++j) bounds.push_back(operations * 0x1p-53 * sum(i, j) + 0x1p-1022);
  return bounds;
}

}  // namespace assay::validation
