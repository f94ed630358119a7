// A matrix of numbers as one of weights, and back: the outputs y [T, C] as LogNumber or Extended, for example.
#pragma once

#include <type_traits>

#include "reference/matrix.h"
#include "reference/number/traits.h"

namespace assay::reference {

/// Each number of `x` as a Weight.
template <class Weight>
Matrix<Weight> weights(const Matrix<typename NumberTraits<Weight>::Scalar>& x) {
  return map(x, [](const auto& number) -> Weight { return NumberTraits<Weight>::from_value(number); });
}

/// Each weight of `x` as a number; the matrix itself where its weights are numbers.
template <class Weight>
// NOLINTNEXTLINE(performance-unnecessary-value-param): the matrix is moved out where its weights are numbers.
Matrix<typename NumberTraits<Weight>::Scalar> values(Matrix<Weight> x) {
  using Scalar = typename NumberTraits<Weight>::Scalar;
  if constexpr (std::is_same_v<Weight, Scalar>) {
    return x;
  } else {
    return map(x, [](const Weight& weight) -> Scalar { return NumberTraits<Weight>::value(weight); });
  }
}

}  // namespace assay::reference
