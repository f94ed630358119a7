// Apple's <simd/simd.h> as a shader sees it: the names of Metal's vectors and matrices that headers shared with a host
// use, and the functions of these names.
#pragma once

#include <metal_stdlib>

namespace simd {
using namespace metal;
}

// matrix_float4x3 and simd_float4x3 have 4 columns of 3, as float4x3.
#define ASSAY_MATRIX(T, size)              \
  using matrix_##T##size = metal::T##size; \
  using simd_##T##size = metal::T##size;
#define ASSAY_MATRICES(T) \
  ASSAY_MATRIX(T, 2x2)    \
  ASSAY_MATRIX(T, 2x3)    \
  ASSAY_MATRIX(T, 2x4)    \
  ASSAY_MATRIX(T, 3x2)    \
  ASSAY_MATRIX(T, 3x3) ASSAY_MATRIX(T, 3x4) ASSAY_MATRIX(T, 4x2) ASSAY_MATRIX(T, 4x3) ASSAY_MATRIX(T, 4x4)
ASSAY_MATRICES(float)
ASSAY_MATRICES(half)
#undef ASSAY_MATRICES
#undef ASSAY_MATRIX

#define ASSAY_VECTOR(T, N)                \
  using vector_##T##N = metal::vec<T, N>; \
  using simd_##T##N = metal::vec<T, N>;
#define ASSAY_VECTORS(T)                              \
  using simd_##T##1 = T;                              \
  using simd_packed_##T##2 = metal::packed_vec<T, 2>; \
  using simd_packed_##T##3 = metal::packed_vec<T, 3>; \
  using simd_packed_##T##4 = metal::packed_vec<T, 4>; \
  ASSAY_VECTOR(T, 2) ASSAY_VECTOR(T, 3) ASSAY_VECTOR(T, 4) ASSAY_VECTOR(T, 8) ASSAY_VECTOR(T, 16)
ASSAY_VECTORS(char)
ASSAY_VECTORS(uchar)
ASSAY_VECTORS(short)
ASSAY_VECTORS(ushort)
ASSAY_VECTORS(int)
ASSAY_VECTORS(uint)
ASSAY_VECTORS(long)
ASSAY_VECTORS(ulong)
ASSAY_VECTORS(half)
ASSAY_VECTORS(float)
#undef ASSAY_VECTORS
#undef ASSAY_VECTOR

// simd_min, simd_max and the like are Metal's collectives.
#define ASSAY_FUNCTION(name, function)                             \
  template <class... A>                                            \
  ASSAY_OWN auto name(A... a) -> decltype(metal::function(a...)) { \
    return metal::function(a...);                                  \
  }
ASSAY_FUNCTION(simd_clamp, clamp)
ASSAY_FUNCTION(simd_cross, cross)
ASSAY_FUNCTION(simd_determinant, determinant)
ASSAY_FUNCTION(simd_distance, distance)
ASSAY_FUNCTION(simd_distance_squared, distance_squared)
ASSAY_FUNCTION(simd_dot, dot)
ASSAY_FUNCTION(simd_length, length)
ASSAY_FUNCTION(simd_length_squared, length_squared)
ASSAY_FUNCTION(simd_mix, mix)
ASSAY_FUNCTION(simd_normalize, normalize)
ASSAY_FUNCTION(simd_reflect, reflect)
ASSAY_FUNCTION(simd_refract, refract)
ASSAY_FUNCTION(simd_transpose, transpose)
#undef ASSAY_FUNCTION
template <class A, class B>
ASSAY_OWN auto simd_mul(A a, B b) -> decltype(a * b) {
  return a * b;
}
template <class A, class B>
ASSAY_OWN auto matrix_multiply(A a, B b) -> decltype(a * b) {
  return a * b;
}
