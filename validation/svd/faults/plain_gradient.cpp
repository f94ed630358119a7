// The gradient of the plain kernel: the formula of metal/cpu/svd/gradient.h, one term after the other.
#include <algorithm>

#include "validation/core/index.h"
#include "validation/svd/faults/plain_kernel.h"

namespace assay::validation {
namespace {

/// A row-major matrix that owns its elements.
struct Dense {
  std::int64_t rows, columns;
  std::vector<double> elements;

  Dense(std::int64_t m, std::int64_t n) : rows(m), columns(n), elements(static_cast<std::size_t>(m * n), 0.0) {}
  Dense(std::int64_t m, std::int64_t n, std::span<const double> values) : Dense(m, n) {
    elements.assign(values.begin(), values.end());
    elements.resize(static_cast<std::size_t>(m * n), 0.0);
  }
  double& operator()(std::int64_t i, std::int64_t j) { return elements[static_cast<std::size_t>(i * columns + j)]; }
  double operator()(std::int64_t i, std::int64_t j) const {
    return elements[static_cast<std::size_t>(i * columns + j)];
  }
};

Dense transposed(const Dense& a) {
  Dense t(a.columns, a.rows);
  for (std::int64_t i = 0; i < a.rows; ++i)
    for (std::int64_t j = 0; j < a.columns; ++j) t(j, i) = a(i, j);
  return t;
}

Dense operator*(const Dense& a, const Dense& b) {
  Dense product(a.rows, b.columns);
  for (std::int64_t i = 0; i < a.rows; ++i)
    for (std::int64_t k = 0; k < a.columns; ++k)
      for (std::int64_t j = 0; j < b.columns; ++j) product(i, j) += a(i, k) * b(k, j);
  return product;
}

Dense operator-(Dense a, const Dense& b) {
  for (std::size_t i = 0; i < a.elements.size(); ++i) a.elements[i] -= b.elements[i];
  return a;
}

void add(Dense& sum, const Dense& a) {
  for (std::size_t i = 0; i < a.elements.size(); ++i) sum.elements[i] += a.elements[i];
}

std::span<const double> part(std::span<const double> all, std::int64_t b, std::int64_t size) {
  return all.empty() ? all : all.subspan(index(b * size), index(size));
}

}  // namespace

double PlainSvdKernel::pair_term(double p, double q, double s_i, double s_j, metal::SvdGradientNotes& notes) const {
  const double sum = s_i + s_j > 0 ? (p - q) / (s_j + s_i) : 0;
  if (s_i == s_j) {
    ++notes.equal_values;
    return sum / 2;
  }
  return ((p + q) / (s_j - s_i) + sum) / 2;
}

double PlainSvdKernel::inverse(double s, metal::SvdGradientNotes& notes) const {
  if (s > 0) return 1 / s;
  ++notes.zero_values;
  return 0;
}

bool PlainSvdKernel::has_tall_correction() const {
  return true;
}

bool PlainSvdKernel::has_wide_correction() const {
  return true;
}

double PlainSvdKernel::diagonal_term(double dS) const {
  return dS;
}

std::vector<double> PlainSvdKernel::gradient_of(const Cotangent& given, metal::SvdGradientNotes& notes) const {
  const std::int64_t M = given.M, N = given.N, K = given.K, zeros = notes.zero_values;
  const Dense U(M, K, given.U), Vh(K, N, given.Vh), dU(M, K, given.dU), dVh(K, N, given.dVh);
  const Dense P = transposed(U) * dU, Q = Vh * transposed(dVh);
  Dense X(K, K);
  std::vector<double> inverses;
  for (std::int64_t k = 0; k < K; ++k) {
    X(k, k) = given.dS.empty() ? 0 : diagonal_term(given.dS[index(k)]);
    inverses.push_back(inverse(given.S[index(k)], notes));
  }
  for (std::int64_t i = 0; i < K; ++i) {
    for (std::int64_t j = i + 1; j < K; ++j) {
      const double p = P(i, j) - P(j, i), q = Q(i, j) - Q(j, i);
      X(i, j) = pair_term(p, q, given.S[index(i)], given.S[index(j)], notes);
      // X_ji: p, q and s_j - s_i change sign, s_j + s_i does not.
      const double sum = given.S[index(i)] + given.S[index(j)];
      X(j, i) = X(i, j) - (sum > 0 ? (p - q) / sum : 0);
    }
  }
  if (M == N) notes.zero_values = zeros;  // U and V are square: there is nothing to correct
  Dense dA = U * X * Vh;
  Dense tall = dU - U * P, wide = dVh - transposed(Q) * Vh;
  for (std::int64_t k = 0; k < K; ++k) {
    for (std::int64_t i = 0; i < M; ++i) tall(i, k) *= inverses[index(k)];
    for (std::int64_t j = 0; j < N; ++j) wide(k, j) *= inverses[index(k)];
  }
  if (has_tall_correction()) add(dA, tall * Vh);
  if (has_wide_correction()) add(dA, U * wide);
  return dA.elements;
}

metal::SvdGradientNotes PlainSvdKernel::gradient(const metal::SvdCotangent<double>& all, std::span<double> dA) const {
  const std::int64_t M = all.M, N = all.N, K = std::min(M, N);
  metal::SvdGradientNotes notes;
  for (std::int64_t b = 0; b < all.B; ++b) {
    const Cotangent one{M,
                        N,
                        K,
                        part(all.U, b, M * K),
                        part(all.S, b, K),
                        part(all.Vh, b, K * N),
                        part(all.dU, b, M * K),
                        part(all.dS, b, K),
                        part(all.dVh, b, K * N)};
    const std::vector<double> gradient = gradient_of(one, notes);
    std::copy(gradient.begin(), gradient.end(), dA.begin() + b * M * N);
  }
  return notes;
}

}  // namespace assay::validation
