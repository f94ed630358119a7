// The rounding of float to bfloat that the compiler calls where the processor has no instruction for it, and the
// compiler's library may lack: to nearest, ties to even.
#pragma once

#include <assay/scalar.h>

extern "C" __attribute__((used, visibility("hidden"), no_sanitize("thread"))) inline __bf16 __truncsfbf2(float value) {
  const uint bits = __builtin_bit_cast(uint, value), magnitude = bits & 0x7fffffffu;
  const uint rounded = (bits + 0x7fffu + (bits >> 16 & 1)) >> 16, nan = bits >> 16 | 0x40u;
  return __builtin_bit_cast(__bf16, ushort(magnitude > 0x7f800000u ? nan : rounded));
}
