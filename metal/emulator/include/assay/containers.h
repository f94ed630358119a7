// array and uniform: Metal Shading Language Specification, sections 2.13 and 2.19.
#pragma once

#include <assay/bfloat.h>
#include <assay/index_check.h>

namespace metal {

template <class T, size_t N>
struct array {
  T elements[N];
  ASSAY_IN_PLACE constexpr T& operator[](size_t n) {
    ASSAY_EXPECT_INDEX(N, n, "elements of an array");
    return elements[n];
  }
  ASSAY_IN_PLACE constexpr const T& operator[](size_t n) const {
    ASSAY_EXPECT_INDEX(N, n, "elements of an array");
    return elements[n];
  }
  ASSAY_IN_PLACE constexpr T* data() { return elements; }
  ASSAY_IN_PLACE constexpr const T* data() const { return elements; }
  ASSAY_IN_PLACE constexpr T* begin() { return elements; }
  ASSAY_IN_PLACE constexpr const T* begin() const { return elements; }
  ASSAY_IN_PLACE constexpr T* end() { return elements + N; }
  ASSAY_IN_PLACE constexpr const T* end() const { return elements + N; }
  static constexpr size_t size() { return N; }
  static constexpr bool empty() { return N == 0; }
};

/// A value that the shader promises to be the same in all threads. The promise is not checked.
template <class T>
struct uniform {
  T value;
  uniform() = default;
  ASSAY_OWN constexpr uniform(T v) : value(v) {}
  ASSAY_IN_PLACE constexpr operator T() const { return value; }
};
template <class T>
ASSAY_OWN constexpr uniform<T> make_uniform(T value) {
  return value;
}

}  // namespace metal
