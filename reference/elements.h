// Elements of an array of 16, 32 or 64 bits as Numbers: exact where the Number has as many digits.
#pragma once

#include <concepts>
#include <span>
#include <vector>

#include "reference/number/traits.h"

namespace assay::reference {

/// One element of an array as a Number. A 16-bit type is one that converts to float.
template <class Number, class Real>
Number element(const Real& x) {
  if constexpr (std::floating_point<Real>) {
    return NumberTraits<Number>::from_real(x);
  } else {
    return NumberTraits<Number>::from_real(static_cast<float>(x));
  }
}

/// The elements of an array, as Numbers.
template <class Number, class Real>
std::vector<Number> elements(std::span<const Real> array) {
  std::vector<Number> numbers;
  numbers.reserve(array.size());
  for (const Real& x : array) numbers.push_back(element<Number>(x));
  return numbers;
}

}  // namespace assay::reference
