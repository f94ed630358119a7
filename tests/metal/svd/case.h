// Batches of matrices to decompose, what a kernel made of them, and what must hold of that.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "metal/cpu/svd/kernels.h"
#include "metal/cpu/svd/svd.h"
#include "metal/cpu/svd/tuning.h"
#include "reference/matrix.h"
#include "reference/svd/jacobi.h"
#include "tests/metal/poison.h"

namespace assay::metal {

using cpu::SvdMethod;
using reference::SingularValue;
using reference::SvdProblem;

/// Of what is stored, and of what is computed with.
template <class Real>
constexpr double unit_roundoff = std::is_same_v<Real, double>  ? 0x1p-53
                                 : std::is_same_v<Real, float> ? 0x1p-24
                                 : std::is_same_v<Real, Half>  ? 0x1p-11
                                                               : 0x1p-8;

template <class Real>
struct SvdCase {
  std::int64_t B, M, N;
  std::vector<Real> A;

  SvdCase(std::int64_t the_B, std::int64_t the_M, std::int64_t the_N)
      : B(the_B), M(the_M), N(the_N), A(static_cast<std::size_t>(B * M * N), Real(0.0F)) {}

  std::int64_t K() const { return std::min(M, N); }
  SvdProblem<Real> problem() const { return {B, M, N, A}; }
  Real& at(std::int64_t b, std::int64_t i, std::int64_t j) { return A[static_cast<std::size_t>((b * M + i) * N + j)]; }
  double get(std::int64_t b, std::int64_t i, std::int64_t j) const {
    return static_cast<double>(A[static_cast<std::size_t>((b * M + i) * N + j)]);
  }
  /// element(b, i, j) of all.
  template <class Element>
  SvdCase& fill(const Element& element) {
    for (std::int64_t b = 0; b < B; ++b)
      for (std::int64_t i = 0; i < M; ++i)
        for (std::int64_t j = 0; j < N; ++j) at(b, i, j) = static_cast<Real>(static_cast<double>(element(b, i, j)));
    return *this;
  }
  SvdCase matrix(std::int64_t b) const {
    SvdCase one(1, M, N);
    std::copy_n(A.begin() + b * M * N, M * N, one.A.begin());
    return one;
  }
};

template <class Real>
SvdCase<Real> gaussian(std::int64_t B, std::int64_t M, std::int64_t N, double scale = 1.0, unsigned seed = 1) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  return SvdCase<Real>(B, M, N).fill([&](auto...) { return scale * normal(random); });
}

/// Columns (rows of a wide matrix) of lengths from 1 to `least`, in a shuffled order, of a matrix whose condition is a
/// small number: what multiplies the errors of singular values is no part of them.
template <class Real>
SvdCase<Real> graded(std::int64_t B, std::int64_t M, std::int64_t N, double least, double scale = 1.0,
                     unsigned seed = 1) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  const std::int64_t K = std::min(M, N);
  std::vector<double> length(static_cast<std::size_t>(K));
  for (std::int64_t k = 0; k < K; ++k)
    length[static_cast<std::size_t>(k)] =
        scale * std::pow(least, static_cast<double>(k) / static_cast<double>(std::max<std::int64_t>(K - 1, 1)));
  std::shuffle(length.begin(), length.end(), random);
  return SvdCase<Real>(B, M, N).fill([&](std::int64_t, std::int64_t i, std::int64_t j) {
    const double diagonal = i == j ? 3 * std::sqrt(static_cast<double>(K)) : 0.0;
    return (normal(random) + diagonal) * length[static_cast<std::size_t>(M >= N ? j : i)];
  });
}

template <class Real>
struct SvdResult {
  std::vector<Real> U;
  std::vector<SingularValue<Real>> S;
  std::vector<Real> Vh;

  explicit SvdResult(const SvdCase<Real>& given, bool vectors = true) : SvdResult(given, given.K(), vectors) {}
  SvdResult(const SvdCase<Real>& given, std::int64_t K, bool vectors) {
    const auto count = [](std::int64_t n) { return static_cast<std::size_t>(n); };
    S.resize(count(given.B * K), 777);
    if (!vectors) return;
    U.resize(count(given.B * given.M * K), Real(777.0F));
    Vh.resize(count(given.B * K * given.N), Real(777.0F));
  }
  SvdOutput<Real> output() { return {U, S, Vh}; }
};

struct SvdHow {
  SvdMethod method = SvdMethod::automatic;
  int threads = 1;
  cpu::InstructionSet set = cpu::fastest_instruction_set();
  bool vectors = true;
};

template <class Real>
SvdResult<Real> decomposed(const SvdCase<Real>& given, const SvdHow& how = {}) {
  SvdResult<Real> result(given, how.vectors);
  cpu::svd(given.problem(), result.output(), {how.threads}, cpu::SvdTuning{how.method, how.set});
  return result;
}

template <class Real>
bool same_bits(const SvdResult<Real>& a, const SvdResult<Real>& b) {
  return same_bits(a.U, b.U) && same_bits(a.S, b.S) && same_bits(a.Vh, b.Vh);
}

/// Of one matrix, errors in units of roundoff: Frobenius norms, those of U^T U - I and Vh Vh^T - I divided by sqrt(K),
/// which makes the norm of I 1, the residual by that of A.
struct SvdErrors {
  double residual = 0.0, of_U = 0.0, of_Vh = 0.0;
};

inline double frobenius(const std::vector<double>& x) {
  double square = 0.0;
  for (const double element : x) square += element * element;
  return std::sqrt(square);
}

/// |X^T X - I|_F of X [rows, K], element(i, r).
template <class Element>
double orthogonality(std::int64_t rows, std::int64_t K, const Element& element) {
  std::vector<double> errors;
  for (std::int64_t r = 0; r < K; ++r)
    for (std::int64_t s = 0; s < K; ++s) {
      long double dot = r == s ? -1.0L : 0.0L;  // of thousands of terms, in better than what is judged
      for (std::int64_t i = 0; i < rows; ++i) dot += static_cast<long double>(element(i, r)) * element(i, s);
      errors.push_back(static_cast<double>(dot));
    }
  return frobenius(errors) / std::sqrt(static_cast<double>(std::max<std::int64_t>(K, 1)));
}

/// For matrices whose squares a double holds.
template <class Real>
SvdErrors errors_of(const SvdCase<Real>& given, const SvdResult<Real>& result, std::int64_t b = 0) {
  const std::int64_t M = given.M, N = given.N, K = given.K();
  const auto U = [&](std::int64_t i, std::int64_t r) {
    return static_cast<double>(result.U[static_cast<std::size_t>((b * M + i) * K + r)]);
  };
  const auto V = [&](std::int64_t j, std::int64_t r) {
    return static_cast<double>(result.Vh[static_cast<std::size_t>((b * K + r) * N + j)]);
  };
  std::vector<double> residual, matrix;
  double largest = 0.0;
  for (std::int64_t i = 0; i < M; ++i)
    for (std::int64_t j = 0; j < N; ++j) largest = std::max(largest, std::abs(given.get(b, i, j)));
  const double unit = largest == 0.0 ? 1.0 : largest;
  for (std::int64_t i = 0; i < M; ++i)
    for (std::int64_t j = 0; j < N; ++j) {
      matrix.push_back(given.get(b, i, j) / unit);
      long double sum = matrix.back();
      for (std::int64_t r = 0; r < K; ++r)
        sum -= static_cast<long double>(U(i, r)) *
               (static_cast<double>(result.S[static_cast<std::size_t>(b * K + r)]) / unit) * V(j, r);
      residual.push_back(static_cast<double>(sum));
    }
  const double size = frobenius(matrix), u = unit_roundoff<Real>;
  return {size == 0.0 ? frobenius(residual) : frobenius(residual) / size / u, orthogonality(M, K, U) / u,
          orthogonality(N, K, V) / u};
}

/// S falls and is not negative, and of each column of U the first of the largest elements is positive.
template <class Real>
void expect_canonical(const SvdCase<Real>& given, const SvdResult<Real>& result, std::int64_t b = 0) {
  const std::int64_t M = given.M, K = given.K();
  for (std::int64_t r = 0; r < K; ++r) {
    const auto s = result.S[static_cast<std::size_t>(b * K + r)];
    ASSERT_GE(s, 0) << "S[b=" << b << ", " << r << "]";
    ASSERT_FALSE(std::signbit(s));
    ASSERT_LE(s, result.S[static_cast<std::size_t>(b * K + std::max<std::int64_t>(r - 1, 0))])
        << "S[b=" << b << ", " << r << "]";
    double largest = 0.0;
    for (std::int64_t i = 0; i < M; ++i) {
      const auto x = static_cast<double>(result.U[static_cast<std::size_t>((b * M + i) * K + r)]);
      if (std::abs(x) > std::abs(largest)) largest = x;
    }
    ASSERT_GT(largest, 0.0) << "U[b=" << b << ", :, " << r << "]";
  }
}

/// Everything of every matrix; the three errors at most `bound` sqrt(K) units of roundoff.
template <class Real>
void expect_decomposition(const SvdCase<Real>& given, const SvdResult<Real>& result, double bound = 4.0) {
  for (std::int64_t b = 0; b < given.B; ++b) {
    expect_canonical(given, result, b);
    const SvdErrors errors = errors_of(given, result, b);
    const double most = bound * std::sqrt(static_cast<double>(given.K()));
    ASSERT_LE(errors.residual, most) << "b=" << b;
    ASSERT_LE(errors.of_U, most) << "b=" << b;
    ASSERT_LE(errors.of_Vh, most) << "b=" << b;
  }
}

/// The singular values of matrix b by the reference.
template <class Real>
std::vector<long double> true_values(const SvdCase<Real>& given, std::int64_t b = 0) {
  reference::Matrix<long double> A(given.M, given.N);
  for (std::int64_t i = 0; i < given.M; ++i)
    for (std::int64_t j = 0; j < given.N; ++j) A(i, j) = static_cast<long double>(given.get(b, i, j));
  return reference::jacobi_svd(A).S;
}

/// The largest error of a singular value of matrix b relative to itself, in units of roundoff.
template <class Real>
double relative_error(const SvdCase<Real>& given, const SvdResult<Real>& result, std::int64_t b = 0) {
  const std::vector<long double> truth = true_values(given, b);
  double worst = 0.0;
  for (std::size_t r = 0; r < truth.size(); ++r) {
    const auto got = static_cast<long double>(result.S[static_cast<std::size_t>(b * given.K()) + r]);
    const auto error = static_cast<double>(std::abs(got - truth[r]) / truth[r]);
    if (!(error <= worst)) worst = std::isnan(error) ? std::numeric_limits<double>::infinity() : error;
  }
  return worst / unit_roundoff<SingularValue<Real>>;
}

inline const char* name_of(SvdMethod method) {
  switch (method) {
    case SvdMethod::lanes:
      return "lanes";
    case SvdMethod::preconditioned:
      return "preconditioned";
    case SvdMethod::direct:
      return "direct";
    case SvdMethod::gram:
      return "gram";
    case SvdMethod::bidiagonal:
      return "bidiagonal";
    default:
      return "automatic";
  }
}

inline const std::vector<SvdMethod>& jacobi_methods() {
  static const std::vector<SvdMethod> all = {SvdMethod::lanes, SvdMethod::preconditioned, SvdMethod::direct};
  return all;
}

}  // namespace assay::metal
