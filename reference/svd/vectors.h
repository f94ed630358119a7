// Inner products, norms and cosines of vectors x, y [n].
//
//   x . y = sum_k x_k y_k,   ||x|| = sqrt(x . x),   cos(x, y) = x . y / (||x|| ||y||)
//
// BigFloat has exponents enough for any square. In float and double every term is scaled first, so that no square
// under- or overflows where the norm or the cosine itself does not.
#pragma once

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <span>

#include "reference/number/traits.h"

namespace assay::reference {

/// |x|. (Of a NaN, the NaN.)
template <class Number>
Number magnitude(const Number& x) {
  return x < Number(0) ? Number(-x) : x;
}

template <class Number>
Number dot(std::span<const Number> x, std::span<const Number> y) {
  Number sum(0);
  for (std::size_t k = 0; k < x.size(); ++k) add_product(sum, x[k], y[k]);
  return sum;
}

/// The largest |x_k|; 0 of no elements.
template <class Number>
Number largest_magnitude(std::span<const Number> x) {
  Number largest(0);
  for (const Number& element : x) largest = std::max(largest, magnitude(element));
  return largest;
}

/// ||x||.
template <class Number>
Number norm(std::span<const Number> x) {
  if constexpr (std::floating_point<Number>) {
    const Number largest = largest_magnitude(x);
    if (largest == 0) return 0;
    Number sum = 0;
    for (const Number element : x) sum += (element / largest) * (element / largest);
    return largest * std::sqrt(sum);
  } else {
    return NumberTraits<Number>::sqrt(dot(x, x));
  }
}

/// cos(x, y), given the norms, neither of them 0.
template <class Number>
Number cosine(std::span<const Number> x, const Number& norm_x, std::span<const Number> y, const Number& norm_y) {
  if constexpr (std::floating_point<Number>) {
    Number sum = 0;
    for (std::size_t k = 0; k < x.size(); ++k) sum += (x[k] / norm_x) * (y[k] / norm_y);
    return sum;
  } else {
    return dot(x, y) / (norm_x * norm_y);
  }
}

/// sqrt(a^2 + b^2).
template <class Number>
Number hypotenuse(const Number& a, const Number& b) {
  if constexpr (std::floating_point<Number>) {
    return std::hypot(a, b);
  } else {
    return NumberTraits<Number>::sqrt(a * a + b * b);
  }
}

/// y += factor x.
template <class Number>
void add_multiple(std::span<Number> y, const Number& factor, std::span<const Number> x) {
  for (std::size_t k = 0; k < y.size(); ++k) add_product(y[k], factor, x[k]);
}

}  // namespace assay::reference
