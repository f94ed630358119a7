// The factors of one matrix of a problem: what a kernel is judged by.
//
// They are computed with svd_guard_digits digits more than are in force, and rounded to these. With d digits in force
//
//   S       to d digits relative to the largest; to d digits relative to itself where A with its columns (of a wide A:
//           its rows) scaled to length 1 has a condition of at most 10^svd_guard_digits / (M N)
//   U, Vh   orthonormal, and with S a factorisation of A, to d digits; a singular vector itself loses as many digits as
//           its singular value has in common with another
//
// A singular value is 0 where columns.h takes a column for 0, with those digits.
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "reference/elements.h"
#include "reference/matrix.h"
#include "reference/number/precision.h"
#include "reference/number/traits.h"
#include "reference/refuse.h"
#include "reference/svd/jacobi.h"
#include "reference/svd/preconditioned.h"
#include "reference/svd/problem.h"
#include "reference/svd/signs.h"
#include "reference/svd/validate.h"

namespace assay::reference {

inline constexpr int svd_guard_digits = 12;

/// Matrix b of a problem, as Numbers: exactly where Number has as many digits.
/// Throws std::invalid_argument where `validate` does, unless b is in [0, B), and at an element that is not finite.
template <class Number, class Real>
Matrix<Number> matrix_of(const SvdProblem<Real>& problem, std::int64_t b) {
  validate(problem);
  if (b < 0 || b >= problem.B) detail::refuse("b = ", b, ": expected a matrix in [0, B=", problem.B, ")");
  validate_values(problem, b);
  const auto size = static_cast<std::size_t>(problem.M * problem.N);
  const auto A = problem.A.subspan(static_cast<std::size_t>(b) * size, size);
  Matrix<Number> result(problem.M, problem.N);
  for (std::int64_t i = 0; i < problem.M; ++i)
    for (std::int64_t j = 0; j < problem.N; ++j)
      result(i, j) = element<Number>(A[static_cast<std::size_t>(i * problem.N + j)]);
  return result;
}

/// U [M, K], S [K], Vh [K, N] of matrix b. Throws as `matrix_of` and `jacobi_svd` do.
template <class Number, class Real>
SvdFactors<Number> svd_outcome(const SvdProblem<Real>& problem, std::int64_t b) {
  const Matrix<double> A = matrix_of<double>(problem, b);
  const Number ties = Number(1 << 10) * NumberTraits<Number>::unit_roundoff();
  SvdFactors<Number> factors;
  {
    const PrecisionScope scope(std::min(precision_digits() + svd_guard_digits, max_digits));
    factors = preconditioned_jacobi_svd<Number>(A);
    make_signs_canonical(factors, ties);
  }
  const auto rounded = [](const Number& x) { return Number(Number(0) + x); };  // to the digits in force
  for (Number& s : factors.S) s = rounded(s);
  return {map(factors.U, rounded), std::move(factors.S), map(factors.Vh, rounded)};
}

}  // namespace assay::reference
