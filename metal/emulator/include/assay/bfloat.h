// bfloat: Metal Shading Language Specification, section 2.1.
#pragma once

#include <assay/scalar.h>

/// Rounds float to bfloat, to nearest, ties to even. The compiler calls it if the processor has no such instruction;
/// its own runtime library may lack it.
extern "C" __attribute__((used, visibility("hidden"), no_sanitize("thread"))) inline __bf16 __truncsfbf2(float value) {
  const uint bits = __builtin_bit_cast(uint, value), magnitude = bits & 0x7fffffffu;
  const uint rounded = (bits + 0x7fffu + (bits >> 16 & 1)) >> 16, nan = bits >> 16 | 0x40u;
  return __builtin_bit_cast(__bf16, ushort(magnitude > 0x7f800000u ? nan : rounded));
}

namespace assay_shader_side {

template <class To, class From>
inline constexpr bool is_between_half_and_bfloat =
    (__is_same(To, half) && __is_same(From, __bf16)) || (__is_same(To, __bf16) && __is_same(From, half));

/// Stands for static_cast in shaders, since the compiler's own does not convert between half and bfloat. Both are exact
/// in float.
template <class To, class From, metal::enable_if_t<metal::is_arithmetic_v<From> && !metal::is_reference_v<To>, int> = 0>
ASSAY_OWN constexpr To cast(From from) {
  if constexpr (is_between_half_and_bfloat<metal::remove_cv_t<To>, From>)
    return static_cast<To>(static_cast<float>(from));
  else
    return static_cast<To>(from);
}
template <class To, class From,
          metal::enable_if_t<!metal::is_arithmetic_v<metal::decay_t<From>> || metal::is_reference_v<To>, int> = 0>
ASSAY_IN_PLACE constexpr To cast(From&& from) {
  return static_cast<To>(static_cast<From&&>(from));
}

}  // namespace assay_shader_side
