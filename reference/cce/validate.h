// The conditions of a well-posed linear cross-entropy problem. Every refusal names the argument, its index, its value
// and what was expected:
//
//   targets[n=3] = 50257: expected an index in [0, V=50257) or ignore_index=-100
//
// `validate` reads extents, sizes, options, targets and upstream, in O(N).
// `validate_without_arrays` does not look at hidden and weight, not even at their size.
// `validate_values` reads bias, weight, and hidden of the tokens that are not ignored.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include "reference/cce/problem.h"
#include "reference/refuse.h"

namespace assay::reference {

namespace detail {

template <class Real>
void validate_extents(const CceProblem<Real>& problem) {
  expect_at_least("N", problem.N, 0);
  expect_at_least("H", problem.H, 1);
  expect_at_least("V", problem.V, 1);
  product("N * H", problem.N, problem.H);
  product("V * H", problem.V, problem.H);
  if (!problem.bias.empty()) expect_size("bias", problem.bias.size(), "V, or empty", problem.V);
}

template <class Real>
void validate_options(const CceProblem<Real>& problem) {
  if (!(problem.logit_softcap >= 0))
    refuse("logit_softcap = ", problem.logit_softcap, ": expected a positive number, or 0 for none");
  if (!(problem.label_smoothing >= 0 && problem.label_smoothing <= 1))
    refuse("label_smoothing = ", problem.label_smoothing, ": expected a number in [0, 1]");
  if (!(problem.z_loss >= 0 && std::isfinite(problem.z_loss)))
    refuse("z_loss = ", problem.z_loss, ": expected a finite number, at least 0");
}

template <class Real>
void validate_targets(const CceProblem<Real>& problem) {
  expect_size("targets", problem.targets.size(), "N", problem.N);
  for (std::size_t n = 0; n < problem.targets.size(); ++n) {
    const std::int64_t target = problem.targets[n];
    if (target != problem.ignore_index && (target < 0 || target >= problem.V))
      refuse("targets[n=", n, "] = ", target, ": expected an index in [0, V=", problem.V,
             ") or ignore_index=", problem.ignore_index);
  }
}

template <class Real>
bool is_finite(const Real& value) {
  const Real infinity = std::numeric_limits<Real>::infinity();
  return value > -infinity && value < infinity;
}

/// Refuses the first element of row i of a matrix that is not finite. `row` is [H].
template <class Real>
void validate_row(const char* name, const char* index, std::int64_t i, std::span<const Real> row) {
  bool acceptable = true;  // one pass without branches; only a bad row is searched for the position
  for (const Real& value : row) acceptable &= is_finite(value);
  if (acceptable) return;
  for (std::size_t h = 0; h < row.size(); ++h)
    if (!is_finite(row[h])) refuse(name, "[", index, "=", i, ", h=", h, "] = ", row[h], ": expected a finite number");
}

template <class Real>
void validate_bias(const CceProblem<Real>& problem) {
  bool any_finite = problem.bias.empty();
  for (std::size_t v = 0; v < problem.bias.size(); ++v) {
    if (!(problem.bias[v] < std::numeric_limits<Real>::infinity()))
      refuse("bias[v=", v, "] = ", problem.bias[v], ": expected a finite number or -inf");
    any_finite |= is_finite(problem.bias[v]);
  }
  if (!any_finite) refuse("bias = -inf for every entry: expected a finite one, for the softmax of none is 0/0");
}

/// Row i of a matrix [rows, H].
template <class Real>
std::span<const Real> matrix_row(std::span<const Real> matrix, std::int64_t i, std::int64_t H) {
  return matrix.subspan(static_cast<std::size_t>(i * H), static_cast<std::size_t>(H));
}

}  // namespace detail

/// Throws std::invalid_argument unless extents, options, targets, upstream and the size of bias are those of a problem.
template <class Real>
void validate_without_arrays(const CceProblem<Real>& problem) {
  detail::validate_extents(problem);
  detail::validate_options(problem);
  detail::validate_targets(problem);
  detail::validate_upstream(problem.upstream, problem.reduction, "N", problem.N);
}

/// As above, and unless hidden and weight have their sizes.
template <class Real>
void validate(const CceProblem<Real>& problem) {
  detail::validate_extents(problem);
  detail::expect_size("hidden", problem.hidden.size(), "N * H", problem.N * problem.H);
  detail::expect_size("weight", problem.weight.size(), "V * H", problem.V * problem.H);
  validate_without_arrays(problem);
}

/// Throws std::invalid_argument at an element of weight, or of hidden of a token that is not ignored, that is not
/// finite, and at a bias that is NaN, +inf, or -inf throughout. Takes `validate` as passed.
template <class Real>
void validate_values(const CceProblem<Real>& problem) {
  detail::validate_bias(problem);
  for (std::int64_t v = 0; v < problem.V; ++v)
    detail::validate_row("weight", "v", v, detail::matrix_row(problem.weight, v, problem.H));
  for (std::int64_t n = 0; n < problem.N; ++n)
    if (!problem.is_ignored(n))
      detail::validate_row("hidden", "n", n, detail::matrix_row(problem.hidden, n, problem.H));
}

}  // namespace assay::reference
