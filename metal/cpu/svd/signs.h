// The signs of singular vectors: in each column of U, the first of the elements of largest magnitude is positive.
#pragma once

#include <cmath>
#include <cstdint>

#include "metal/cpu/svd/kernels.h"

namespace assay::metal::cpu {

/// Whether the first of the elements of largest magnitude is negative. `element(i)`: element i of `count`, as it is
/// stored, in float or double.
template <class Element>
bool largest_is_negative(std::int64_t count, const Element& element) {
  decltype(element(std::int64_t{0})) largest = 0;
  for (std::int64_t i = 0; i < count; ++i)
    if (std::abs(element(i)) > std::abs(largest)) largest = element(i);
  return largest < 0;
}

/// Writes U [M, K], whose columns lie side by side, and V [N, K] to the outputs, with these signs.
template <class T>
void write_canonical(const SvdView<T>& U, const SvdView<T>& V, const SvdView<T>& to_U, const SvdView<T>& to_V);

}  // namespace assay::metal::cpu
