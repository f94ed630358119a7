// Names that Apple's own headers define for themselves and that published shaders rely on: __metal_sin(x, precision),
// __metal_simd_sum(x), _fp_encoding_traits and the like. No document describes them; they are the functions of the
// standard library without the prefix.
#pragma once

#include <assay/compute.h>
#include <assay/math.h>

// Metal's compiler knows it too, and no document says what a failure does there. Here it is not evaluated.
#ifndef assert
#define assert(...) ((void)0)
#endif

#define __METAL_FAST_MATH__ 1
#define __METAL_MAYBE_FAST_MATH__ 0
#define __METAL_PRECISE_MATH__ 0

/// Whether the operations of simdgroups take it.
template <class T>
struct __is_valid_simdgroup_type
    : metal::bool_constant<metal::is_arithmetic_v<typename metal::assay_detail::Shape<T>::Element> &&
                           sizeof(typename metal::assay_detail::Shape<T>::Element) <= 4> {};

#define MSL_FUNCTION_1(name)                                              \
  template <class A>                                                      \
  ASSAY_OWN auto __metal_##name(A x, int = 0)->decltype(metal::name(x)) { \
    return metal::name(x);                                                \
  }
#define MSL_FUNCTION_2(name)                                                      \
  template <class A, class B>                                                     \
  ASSAY_OWN auto __metal_##name(A x, B y, int = 0)->decltype(metal::name(x, y)) { \
    return metal::name(x, y);                                                     \
  }
#define MSL_FUNCTION_3(name)                                                              \
  template <class A, class B, class C>                                                    \
  ASSAY_OWN auto __metal_##name(A x, B y, C z, int = 0)->decltype(metal::name(x, y, z)) { \
    return metal::name(x, y, z);                                                          \
  }
#include <assay/functions.def>
template <class A>
ASSAY_IN_PLACE A __metal_frexp(A x, int* exponent) {
  return metal::frexp(x, *exponent);
}

/// The functions of a simdgroup's lanes have the site of their call as their last parameter.
#define ASSAY_INTERNAL_COLLECTIVE(name)                                                               \
  template <class T>                                                                                  \
  ASSAY_OWN T __metal_##name(T data, assay_shader_side::Site site = assay_shader_side::here(#name)) { \
    return metal::name(data, site);                                                                   \
  }
#define ASSAY_INTERNAL_SHUFFLE(name)                                                                         \
  template <class T>                                                                                         \
  ASSAY_OWN T __metal_##name(                                                                                \
      T data, ushort lane,                                                                                   \
      assay_shader_side::Site site = assay_shader_side::here(#name, assay_shader_side::Needs::read_lanes)) { \
    return metal::name(data, lane, site);                                                                    \
  }
#define ASSAY_INTERNAL_FILL(name)                                                                            \
  template <class T>                                                                                         \
  ASSAY_OWN T __metal_##name(                                                                                \
      T data, T filling, ushort delta, ushort modulo,                                                        \
      assay_shader_side::Site site = assay_shader_side::here(#name, assay_shader_side::Needs::read_lanes)) { \
    return metal::name(data, filling, delta, modulo, site);                                                  \
  }
ASSAY_INTERNAL_COLLECTIVE(simd_broadcast_first)
ASSAY_INTERNAL_COLLECTIVE(simd_max)
ASSAY_INTERNAL_COLLECTIVE(simd_min)
ASSAY_INTERNAL_COLLECTIVE(simd_prefix_exclusive_product)
ASSAY_INTERNAL_COLLECTIVE(simd_prefix_exclusive_sum)
ASSAY_INTERNAL_COLLECTIVE(simd_prefix_inclusive_product)
ASSAY_INTERNAL_COLLECTIVE(simd_prefix_inclusive_sum)
ASSAY_INTERNAL_COLLECTIVE(simd_product)
ASSAY_INTERNAL_COLLECTIVE(simd_sum)
ASSAY_INTERNAL_SHUFFLE(simd_broadcast)
ASSAY_INTERNAL_SHUFFLE(simd_shuffle)
ASSAY_INTERNAL_SHUFFLE(simd_shuffle_down)
ASSAY_INTERNAL_SHUFFLE(simd_shuffle_rotate_down)
ASSAY_INTERNAL_SHUFFLE(simd_shuffle_rotate_up)
ASSAY_INTERNAL_SHUFFLE(simd_shuffle_up)
ASSAY_INTERNAL_SHUFFLE(simd_shuffle_xor)
ASSAY_INTERNAL_FILL(simd_shuffle_and_fill_down)
ASSAY_INTERNAL_FILL(simd_shuffle_and_fill_up)
#undef ASSAY_INTERNAL_COLLECTIVE

/// These take floats too, whose bits they join.
#define ASSAY_INTERNAL_BITS(name)                                                                     \
  template <class T>                                                                                  \
  ASSAY_OWN T __metal_##name(T data, assay_shader_side::Site site = assay_shader_side::here(#name)) { \
    if constexpr (metal::is_same_v<T, float>)                                                         \
      return metal::as_type<T>(metal::name(metal::as_type<uint>(data), site));                        \
    else                                                                                              \
      return metal::name(data, site);                                                                 \
  }
ASSAY_INTERNAL_BITS(simd_and)
ASSAY_INTERNAL_BITS(simd_or)
ASSAY_INTERNAL_BITS(simd_xor)
#undef ASSAY_INTERNAL_BITS
#undef ASSAY_INTERNAL_SHUFFLE
#undef ASSAY_INTERNAL_FILL

/// The argument only names the type of the result.
template <class T>
ASSAY_OWN constexpr T __metal_get_simdgroup_size(T) {
  return 32;
}
template <class T>
ASSAY_OWN T __metal_get_thread_index_in_simdgroup(T) {
  return T(metal::assay_detail::lane_of_group().lane);
}

namespace metal {

/// The parts of a floating-point type's bits.
template <class T>
struct _fp_encoding_traits;
#define ASSAY_ENCODING(T, Bits, exponent)                                                          \
  template <>                                                                                      \
  struct _fp_encoding_traits<T> {                                                                  \
    using encoding_type = Bits;                                                                    \
    static constexpr Bits sign_mask = Bits(1) << (8 * sizeof(Bits) - 1), inf_mask = exponent;      \
    static constexpr Bits exponent_mask = exponent, mantissa_mask = Bits(~(sign_mask | exponent)); \
  };
ASSAY_ENCODING(half, ushort, 0x7c00)
ASSAY_ENCODING(float, uint, 0x7f800000u)
#if __METAL_VERSION__ >= 310
ASSAY_ENCODING(bfloat, ushort, 0x7f80)
#endif
#undef ASSAY_ENCODING

}  // namespace metal
