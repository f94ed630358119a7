// The conditions under which a batch of matrices has singular values. Every refusal names the argument, its index, its
// value and what was expected:
//
//   A[b=0, i=3, j=2] = nan: expected a finite number
//
// `validate` reads extents and sizes, in O(1); `validate_without_elements` reads extents alone; `validate_values` reads
// A.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>

#include "reference/refuse.h"
#include "reference/svd/problem.h"

namespace assay::reference {

/// Throws std::invalid_argument unless extents are those of a problem. An extent may be 0. Returns B * M * N.
template <class Real>
std::int64_t validate_without_elements(const SvdProblem<Real>& problem) {
  detail::expect_at_least("B", problem.B, 0);
  detail::expect_at_least("M", problem.M, 0);
  detail::expect_at_least("N", problem.N, 0);
  return detail::product("B * (M * N)", problem.B, detail::product("M * N", problem.M, problem.N));
}

/// As above, and unless A has this size.
template <class Real>
void validate(const SvdProblem<Real>& problem) {
  detail::expect_size("A", problem.A.size(), "B * M * N", validate_without_elements(problem));
}

/// Throws std::invalid_argument at an element of matrix b that is not finite. Takes `validate` as passed.
template <class Real>
void validate_values(const SvdProblem<Real>& problem, std::int64_t b) {
  const auto matrix = static_cast<std::size_t>(problem.M * problem.N), N = static_cast<std::size_t>(problem.N);
  const std::span<const Real> A = problem.A.subspan(static_cast<std::size_t>(b) * matrix, matrix);
  for (std::size_t at = 0; at < matrix; ++at) {
    const auto value = static_cast<double>(A[at]);
    if (std::isfinite(value)) continue;
    detail::refuse("A[b=", b, ", i=", at / N, ", j=", at % N, "] = ", value, ": expected a finite number");
  }
}

/// Throws std::invalid_argument at an element of any matrix that is not finite. Takes `validate` as passed.
template <class Real>
void validate_values(const SvdProblem<Real>& problem) {
  for (std::int64_t b = 0; b < problem.B; ++b) validate_values(problem, b);
}

/// Throws std::invalid_argument unless the rSVD can be done on `problem`. Takes `validate` as passed.
template <class Real>
void validate(const RandomizedSvd& randomized, const SvdProblem<Real>& problem) {
  if (randomized.rank < 1 || randomized.rank > problem.K())
    detail::refuse("rank = ", randomized.rank, ": expected a number in [1, min(M, N)=", problem.K(), "]");
  detail::expect_at_least("oversampling", randomized.oversampling, 0);
  detail::expect_at_least("power_iterations", randomized.power_iterations, 0);
}

}  // namespace assay::reference
