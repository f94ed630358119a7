// Powers of two for matrices of float and double. BigFloat and the like have exponents enough, and are left alone.
//
// A matrix is scaled so that its largest element is of the order of the largest number divided by 2^headroom: no norm
// overflows (a norm is at most sqrt(M N) <= 2^31 times the largest element), and as little as possible underflows. A
// column so small that its elements have lost digits to that, some 2^-1960 of the largest element in double and 2^-197
// in float, cannot be made orthogonal to others, and is taken for 0.
#pragma once

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>

#include "reference/matrix.h"
#include "reference/svd/vectors.h"

namespace assay::reference {

inline constexpr int headroom = 34;

/// The exponent e for which A times 2^e has the scale stated above; 0 of a zero matrix, and of numbers of any
/// precision.
template <class Number>
int scaling_exponent(const Matrix<Number>& A) {
  if constexpr (std::floating_point<Number>) {
    Number largest = 0;
    for (std::int64_t i = 0; i < A.rows(); ++i) largest = std::max(largest, largest_magnitude<Number>(A.row(i)));
    return largest == 0 ? 0 : std::numeric_limits<Number>::max_exponent - headroom - (std::ilogb(largest) + 1);
  } else {
    return 0;
  }
}

/// x 2^exponent.
template <class Number>
Number scaled(const Number& x, int exponent) {
  if constexpr (std::floating_point<Number>) {
    return std::ldexp(x, exponent);
  } else {
    return x;
  }
}

/// The norm below which a column of a scaled matrix is taken for 0.
template <class Number>
Number min_norm() {
  if constexpr (std::floating_point<Number>) {
    return std::numeric_limits<Number>::min() / std::numeric_limits<Number>::epsilon();
  } else {
    return Number(0);
  }
}

}  // namespace assay::reference
