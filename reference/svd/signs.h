// Signs: of each column of U, the first of the elements of largest magnitude is positive.
//
// u_k v_k^T does not change when both change their signs, so that one of them is free. An element is taken for one of
// the largest where it is within `ties` of it, relative: in numbers with more digits than count, two elements that are
// equal in truth should not be told apart by their errors.
#pragma once

#include <cstdint>
#include <span>

#include "reference/number/traits.h"
#include "reference/svd/problem.h"
#include "reference/svd/vectors.h"

namespace assay::reference {

template <class Number>
void make_signs_canonical(SvdFactors<Number>& factors, const Number& ties = Number(0)) {
  const std::int64_t M = factors.U.rows();
  for (std::int64_t k = 0; k < factors.U.cols(); ++k) {
    Number largest(0);
    for (std::int64_t i = 0; i < M; ++i) largest = std::max(largest, magnitude(factors.U(i, k)));
    const Number enough = largest - largest * ties;
    std::int64_t first = 0;
    while (first < M && magnitude(factors.U(first, k)) < enough) ++first;
    if (first == M || !(factors.U(first, k) < Number(0))) continue;
    for (std::int64_t i = 0; i < M; ++i) factors.U(i, k) = -factors.U(i, k);
    for (Number& element : factors.Vh.row(k)) element = -element;
  }
}

}  // namespace assay::reference
