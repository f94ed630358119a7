// The same matrix in numbers and in another weight: outputs y [T, C] as LogNumber or Extended, say, and back.
#pragma once

#include <cstdint>
#include <type_traits>
#include <utility>

#include "reference/matrix.h"
#include "reference/number/traits.h"

namespace assay::reference {

/// Each number of `x` as a Weight.
template <class Weight>
Matrix<Weight> weights(const Matrix<typename NumberTraits<Weight>::Scalar>& x) {
  Matrix<Weight> result(x.rows(), x.cols());
  for (std::int64_t i = 0; i < x.rows(); ++i)
    for (std::int64_t j = 0; j < x.cols(); ++j) result(i, j) = NumberTraits<Weight>::from_value(x(i, j));
  return result;
}

/// Each weight of `x` as a number; the matrix itself where its weights are numbers.
template <class Weight>
Matrix<typename NumberTraits<Weight>::Scalar> values(Matrix<Weight> x) {
  using Scalar = typename NumberTraits<Weight>::Scalar;
  if constexpr (std::is_same_v<Weight, Scalar>) {
    return x;
  } else {
    Matrix<Scalar> result(x.rows(), x.cols());
    for (std::int64_t i = 0; i < x.rows(); ++i)
      for (std::int64_t j = 0; j < x.cols(); ++j) result(i, j) = NumberTraits<Weight>::value(x(i, j));
    return result;
  }
}

}  // namespace assay::reference
