// Orthonormal vectors: vectors made orthonormal, and orthonormal ones completed by more.
//
// A vector is made orthogonal to orthonormal ones by subtracting its projections on them, twice: after the second time
// it is as orthogonal as rounding allows, unless nothing is left of it (Giraud, Langou, Rozloznik and van den Eshof
// 2005, "Rounding error analysis of the classical Gram-Schmidt orthogonalization process", "twice is enough").
//
// For r orthonormal vectors u [M] and the coordinate vectors e_k, the squares of what is left of all e_k,
//
//   ||e_k - sum_j u_jk u_j||^2 = 1 - sum_j u_jk^2,
//
// add up to M - r. So the e_k of which most is left keeps at least sqrt((M - r) / M) of its length.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "reference/matrix.h"
#include "reference/number/traits.h"
#include "reference/svd/vectors.h"

namespace assay::reference {

/// Makes x orthogonal to the first `count` rows of `basis`, which are orthonormal. Returns the norm that is left.
template <class Number>
Number make_orthogonal(std::span<Number> x, const Matrix<Number>& basis, std::int64_t count) {
  for (int time = 0; time < 2; ++time)
    for (std::int64_t j = 0; j < count; ++j) {
      const Number component = dot<Number>(x, basis.row(j));
      add_multiple<Number>(x, -component, basis.row(j));
    }
  return norm<Number>(x);
}

/// x /= length.
template <class Number>
void divide(std::span<Number> x, const Number& length) {
  for (Number& element : x) element /= length;
}

/// Makes row `count` of `basis`, whatever it holds, a unit vector orthogonal to the `count` rows before it, which are
/// orthonormal; count < basis.cols().
template <class Number>
void complete_one(Matrix<Number>& basis, std::int64_t count) {
  std::vector<Number> covered(static_cast<std::size_t>(basis.cols()), Number(0));
  for (std::int64_t j = 0; j < count; ++j)
    for (std::size_t k = 0; k < covered.size(); ++k) add_product(covered[k], basis.row(j)[k], basis.row(j)[k]);
  std::size_t smallest = 0;
  for (std::size_t k = 1; k < covered.size(); ++k)
    if (covered[k] < covered[smallest]) smallest = k;
  const std::span<Number> x = basis.row(count);
  for (Number& element : x) element = Number(0);
  x[smallest] = Number(1);
  divide<Number>(x, make_orthogonal<Number>(x, basis, count));
}

/// Makes the rows of `basis` from `count` on unit vectors orthogonal to all before them: the null space.
template <class Number>
void complete_orthonormal(Matrix<Number>& basis, std::int64_t count) {
  for (; count < basis.rows(); ++count) complete_one(basis, count);
}

/// Makes the rows of `basis` orthonormal, in their order, so that the first k span what they spanned; a row of which
/// rounding leaves nothing (less than M u of its length) is replaced by whatever is orthogonal to those before it.
template <class Number>
void make_orthonormal(Matrix<Number>& basis) {
  const Number tiny = Number(basis.cols()) * NumberTraits<Number>::unit_roundoff();
  for (std::int64_t j = 0; j < basis.rows(); ++j) {
    const Number before = norm<Number>(basis.row(j));
    const Number after = make_orthogonal<Number>(basis.row(j), basis, j);
    if (after > tiny * before) {
      divide<Number>(basis.row(j), after);
    } else {
      complete_one(basis, j);
    }
  }
}

}  // namespace assay::reference
