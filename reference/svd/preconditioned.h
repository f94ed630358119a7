// One-sided Jacobi that starts where double precision ends: the same factors as those of jacobi_svd, in a third of the
// time.
//
//   V0 = the V of A in double, made orthonormal in the precision in force;   sweeps over the columns of A V0, from V0
//
// The cosines of A V0 are some 1e-15 from the start. Every sweep squares the cosines, so two or three sweeps are
// enough; without V0 it is ten.
//
// V0 mixes the columns of A with errors of 1e-16 relative to the largest, which further sweeps take out only with as
// many digits more; a matrix of which a column or a singular value is below 1e-6 of the largest is therefore not
// preconditioned, and keeps what jacobi.h states of small singular values.
#pragma once

#include <utility>

#include "reference/matrix.h"
#include "reference/number/traits.h"
#include "reference/svd/columns.h"
#include "reference/svd/jacobi.h"
#include "reference/svd/orthonormal.h"
#include "reference/svd/problem.h"
#include "reference/svd/products.h"
#include "reference/svd/signs.h"

namespace assay::reference {

namespace detail {

/// The elements of A as Numbers.
template <class Number>
Matrix<Number> numbers(const Matrix<double>& A) {
  return map(A, NumberTraits<Number>::template from_real<double>);
}

inline bool is_well_conditioned(const SvdFactors<double>& factors) {
  return !factors.S.empty() && factors.S.back() > 1e-6 * factors.S.front();
}

}  // namespace detail

/// As jacobi_svd(A), and throws as it does.
template <class Number, class Visit = NoVisit>
SvdFactors<Number> preconditioned_jacobi_svd(const Matrix<double>& A, const JacobiOptions& options = {},
                                             Visit visit = {}) {
  if (A.rows() < A.cols()) {
    SvdFactors<Number> factors = detail::exchanged(preconditioned_jacobi_svd<Number>(transposed(A), options, visit));
    make_signs_canonical(factors);
    return factors;
  }
  const SvdFactors<double> coarse = jacobi_svd(A, options);
  if (!detail::is_well_conditioned(coarse)) return jacobi_svd(detail::numbers<Number>(A), options, visit);
  Matrix<Number> V = detail::numbers<Number>(coarse.Vh);
  make_orthonormal(V);
  Matrix<Number> AV = product(V, transposed(detail::numbers<Number>(A)));
  SvdFactors<Number> factors = detail::jacobi_factors(jacobi_columns(std::move(AV), std::move(V)), options, visit);
  make_signs_canonical(factors);
  return factors;
}

}  // namespace assay::reference
