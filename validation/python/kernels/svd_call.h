// The arguments of the SVD's gradient, as callers from NumPy and from XLA give them.
#pragma once

#include <array>
#include <cstdint>

#include "metal/cpu/svd/gradient.h"

namespace assay::python {

/// `shape`: B, M, N. `arrays`: U, S, Vh, dU, dS, dVh. `elements`: a function template of the type of the elements,
/// which takes a name and an array.
template <class Real, class Array, class Elements>
metal::SvdCotangent<Real> svd_cotangent(const std::array<std::int64_t, 3>& shape, const std::array<Array, 6>& arrays,
                                        const Elements& elements) {
  const auto vectors = [&](const char* name, const Array& array) {
    return elements.template operator()<const Real>(name, array);
  };
  const auto values = [&](const char* name, const Array& array) {
    return elements.template operator()<const reference::SingularValue<Real>>(name, array);
  };
  const auto& [U, S, Vh, dU, dS, dVh] = arrays;
  return {shape[0],          shape[1],          shape[2],         vectors("U", U),    values("S", S),
          vectors("Vh", Vh), vectors("dU", dU), values("dS", dS), vectors("dVh", dVh)};
}

}  // namespace assay::python
