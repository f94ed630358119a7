// Batches of matrices that own their elements, and what comes of them.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "metal/cpu/svd/svd.h"
#include "tests/metal/poison.h"

namespace assay::metal::test {

using reference::SvdProblem;

/// Elements in float; TypedSvd rounds them.
struct SvdCase {
  std::int64_t B = 1, M = 1, N = 1;
  std::vector<float> A;

  std::int64_t K() const { return std::min(M, N); }
  std::size_t at(std::int64_t b, std::int64_t i, std::int64_t j) const {
    return static_cast<std::size_t>((b * M + i) * N + j);
  }
};

/// A case in one type, and its problem.
template <class Real>
class TypedSvd {
 public:
  explicit TypedSvd(const SvdCase& c) : elements_(c.A.begin(), c.A.end()), extents_{c.B, c.M, c.N, {}} {}

  SvdProblem<Real> problem() const {
    SvdProblem<Real> problem = extents_;
    problem.A = elements_;
    return problem;
  }

 private:
  std::vector<Real> elements_;
  SvdProblem<Real> extents_;
};

/// Outputs in arrays that hold a value no result has.
template <class Real>
struct SvdResults {
  explicit SvdResults(const SvdProblem<Real>& p, bool with_vectors = true) : SvdResults(p, p.K(), with_vectors) {}
  /// `values` triplets.
  SvdResults(const SvdProblem<Real>& p, std::int64_t values, bool with_vectors)
      : U(poisoned<Real>(size(with_vectors, p.B * p.M * values))),
        S(poisoned<reference::SingularValue<Real>>(size(true, p.B * values))),
        Vh(poisoned<Real>(size(with_vectors, p.B * values * p.N))) {}

  SvdOutput<Real> spans() { return {U, S, Vh}; }

  bool operator==(const SvdResults& other) const {
    return same_bits(U, other.U) && same_bits(S, other.S) && same_bits(Vh, other.Vh);
  }
  bool hold_only(float value) const { return are_all(value, U) && are_all(value, S) && are_all(value, Vh); }

  std::vector<Real> U;
  std::vector<reference::SingularValue<Real>> S;
  std::vector<Real> Vh;

 private:
  static std::size_t size(bool is_wanted, std::int64_t count) {
    return is_wanted ? static_cast<std::size_t>(count) : 0;
  }
};

/// Normal numbers.
inline SvdCase some_svd(std::int64_t M, std::int64_t N, std::int64_t B = 1, std::uint64_t seed = 1) {
  std::mt19937_64 bits(seed);
  std::normal_distribution<float> normal;
  SvdCase c{B, M, N, std::vector<float>(static_cast<std::size_t>(B * M * N))};
  for (float& x : c.A) x = normal(bits);
  return c;
}

/// Elements of eight bits, so that powers of two change none of them.
inline SvdCase short_svd(std::int64_t M, std::int64_t N) {
  SvdCase c = some_svd(M, N);
  for (float& x : c.A) x = std::rint(x * 32) / 32;
  return c;
}

inline SvdCase scaled(SvdCase c, int power) {
  for (float& x : c.A) x = std::ldexp(x, power);
  return c;
}

/// Columns of a well-conditioned matrix times `least`^(j / (N - 1)), in any order.
inline SvdCase graded_svd(std::int64_t M, std::int64_t N, double least, std::uint64_t seed = 1) {
  SvdCase c = some_svd(M, N, 1, seed);
  std::vector<std::int64_t> order(static_cast<std::size_t>(N));
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), std::mt19937_64(seed));
  for (std::int64_t i = 0; i < M; ++i)
    for (std::int64_t j = 0; j < N; ++j) {
      const double power = static_cast<double>(order[static_cast<std::size_t>(j)]) / static_cast<double>(N - 1);
      const double element = (i == j ? 1.0 : 0.0) + 0.3 * double{c.A[c.at(0, i, j)]} / std::sqrt(double(M));
      c.A[c.at(0, i, j)] = static_cast<float>(element * std::pow(least, power));
    }
  return c;
}

/// A sum of `rank` products of whole numbers.
inline SvdCase low_rank_svd(std::int64_t M, std::int64_t N, std::int64_t rank) {
  SvdCase c{1, M, N, std::vector<float>(static_cast<std::size_t>(M * N))};
  for (std::int64_t i = 0; i < M; ++i)
    for (std::int64_t j = 0; j < N; ++j)
      for (std::int64_t r = 0; r < rank; ++r)
        c.A[c.at(0, i, j)] += static_cast<float>(((i + 1) * (r + 2) % 7 - 3) * ((j + 2) * (r + 3) % 5 - 2));
  return c;
}

inline SvdCase transposed(const SvdCase& c) {
  SvdCase result{c.B, c.N, c.M, std::vector<float>(c.A.size())};
  for (std::int64_t b = 0; b < c.B; ++b)
    for (std::int64_t i = 0; i < c.M; ++i)
      for (std::int64_t j = 0; j < c.N; ++j) result.A[result.at(b, j, i)] = c.A[c.at(b, i, j)];
  return result;
}

}  // namespace assay::metal::test
