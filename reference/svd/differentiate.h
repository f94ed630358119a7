// The gradient of a scalar function of a matrix by central differences, to the digits in force.
//
//   dL/dA_ij = (L(A + h e_i e_j^T) - L(A - h e_i e_j^T)) / (2 h) + O(h^2)
//
// In a floating point of unit roundoff w, the difference is off by w / h and what is neglected is of the order of h^2:
// h = w^(1/3) makes both w^(2/3). With w of twice the digits in force, that is 4/3 of them: no digit in force is lost,
// unless third derivatives are large. h is a power of two times that of the largest element.
//
// The method knows nothing of singular values and is given L alone: formulas are held against it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

#include "reference/matrix.h"
#include "reference/number/big_float.h"
#include "reference/number/precision.h"
#include "reference/number/traits.h"
#include "reference/svd/vectors.h"

namespace assay::reference {

/// dL/dA [M, N] of L(A), a function Matrix<BigFloat> -> BigFloat that computes in the precision in force on the thread:
/// it is called 2 M N times with twice the digits.
template <class Function>
Matrix<BigFloat> numerical_gradient(Function L, const Matrix<BigFloat>& A) {
  Matrix<BigFloat> gradient(A.rows(), A.cols());
  const PrecisionScope scope(std::min(2 * precision_digits(), max_digits));
  BigFloat h(0);
  for (std::int64_t i = 0; i < A.rows(); ++i) h = std::max(h, largest_magnitude<BigFloat>(A.row(i)));
  if (NumberTraits<BigFloat>::is_zero(h)) h = BigFloat(1);
  const BigFloat half(0.5);
  for (long bits = 0; bits < precision_bits() / 3; ++bits) h *= half;
  Matrix<BigFloat> at = map(A, [](const BigFloat& x) { return BigFloat(0) + x; });  // with twice the digits
  for (std::int64_t i = 0; i < A.rows(); ++i)
    for (std::int64_t j = 0; j < A.cols(); ++j) {
      const BigFloat center = at(i, j);
      at(i, j) = center + h;
      const BigFloat above = L(std::as_const(at));
      at(i, j) = center - h;
      const BigFloat below = L(std::as_const(at));
      at(i, j) = center;
      gradient(i, j) += (above - below) / (h + h);  // rounds to the digits outside
    }
  return gradient;
}

}  // namespace assay::reference
