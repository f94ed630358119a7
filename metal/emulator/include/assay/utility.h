// move, forward and swap. Only <metal_utility> has them, because shaders define functions of these names.
#pragma once

#include <assay/scalar.h>

namespace metal {

template <class T>
constexpr remove_reference_t<T>&& move(T&& value) {
  return static_cast<remove_reference_t<T>&&>(value);
}
template <class T>
constexpr T&& forward(remove_reference_t<T>& value) {
  return static_cast<T&&>(value);
}
template <class T>
ASSAY_IN_PLACE void swap(T& a, T& b) {
  const T kept = a;
  a = b;
  b = kept;
}

}  // namespace metal
