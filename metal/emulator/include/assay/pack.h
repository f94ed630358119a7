// Integers that hold fractions, as pixels do: Metal Shading Language Specification, section 6.14 (pack and unpack). The
// first component is in the lowest bits.
#pragma once

#include <assay/math.h>

namespace metal {
namespace assay_detail {

/// Signed integers of `bits` as fractions: the smallest number and the one after it are -1.
ASSAY_OWN float fraction(int number, float largest) {
  return number < -largest ? -1.0f : float(number) / largest;
}

/// The integer nearest to the fraction, ties to even; of NaN 0.
ASSAY_OWN uint nearest(float value, float least, float largest) {
  const float inside = !(value > least) ? (value <= least ? least : 0.0f) : value > 1.0f ? 1.0f : value;
  return uint(int(__builtin_rintf(inside * largest)));
}

/// sRGB as a fraction of light, and back: IEC 61966-2-1.
ASSAY_OWN float linear_of(float c) {
  return c <= 0.04045f ? c / 12.92f : metal::pow((c + 0.055f) / 1.055f, 2.4f);
}
ASSAY_OWN float srgb_of(float c) {
  return !(c > 0) ? 0.0f : c < 0.0031308f ? 12.92f * c : 1.055f * metal::pow(c, 1 / 2.4f) - 0.055f;
}

/// The number of `width` bits from bit `at` on.
ASSAY_OWN uint field(uint packed, uint at, uint width) {
  return packed >> at & ((1u << width) - 1);
}
ASSAY_OWN float unorm(uint packed, uint at, uint width) {
  return float(field(packed, at, width)) / float((1u << width) - 1);
}
ASSAY_OWN float snorm(uint packed, uint at, uint width) {
  return fraction(int(field(packed, at, width) << (32 - width)) >> (32 - width), float((1u << (width - 1)) - 1));
}
ASSAY_OWN uint unorm_bits(float value, uint at, uint width) {
  return nearest(value, 0.0f, float((1u << width) - 1)) << at;
}
ASSAY_OWN uint snorm_bits(float value, uint at, uint width) {
  return (nearest(value, -1.0f, float((1u << (width - 1)) - 1)) & ((1u << width) - 1)) << at;
}

}  // namespace assay_detail

#define ASSAY_UNPACK(name, T, N, Packed, ...)            \
  ASSAY_OWN vec<T, N> unpack_##name##_to_##T(Packed p) { \
    using namespace assay_detail;                        \
    return vec<T, N>(vec<float, N>(__VA_ARGS__));        \
  }
#define ASSAY_PACK(prefix, name, T, N, Packed, ...)            \
  ASSAY_OWN Packed pack_##T##_to_##prefix##name(vec<T, N> v) { \
    using namespace assay_detail;                              \
    return Packed(__VA_ARGS__);                                \
  }
#define ASSAY_4X8(T, kind)                                                                          \
  ASSAY_UNPACK(kind##4x8, T, 4, uint, kind(p, 0, 8), kind(p, 8, 8), kind(p, 16, 8), kind(p, 24, 8)) \
  ASSAY_PACK(, kind##4x8, T, 4, uint,                                                               \
             kind##_bits(v.x, 0, 8) | kind##_bits(v.y, 8, 8) | kind##_bits(v.z, 16, 8) | kind##_bits(v.w, 24, 8))
#define ASSAY_2X16(T, kind)                                             \
  ASSAY_UNPACK(kind##2x16, T, 2, uint, kind(p, 0, 16), kind(p, 16, 16)) \
  ASSAY_PACK(, kind##2x16, T, 2, uint, kind##_bits(v.x, 0, 16) | kind##_bits(v.y, 16, 16))
#define ASSAY_PACKING(T)                                                                                          \
  ASSAY_4X8(T, unorm)                                                                                             \
  ASSAY_4X8(T, snorm)                                                                                             \
  ASSAY_2X16(T, unorm)                                                                                            \
  ASSAY_2X16(T, snorm)                                                                                            \
  ASSAY_UNPACK(unorm4x8_srgb, T, 4, uint, linear_of(unorm(p, 0, 8)), linear_of(unorm(p, 8, 8)),                   \
               linear_of(unorm(p, 16, 8)), unorm(p, 24, 8))                                                       \
  ASSAY_PACK(srgb_, unorm4x8, T, 4, uint,                                                                         \
             unorm_bits(srgb_of(v.x), 0, 8) | unorm_bits(srgb_of(v.y), 8, 8) | unorm_bits(srgb_of(v.z), 16, 8) |  \
                 unorm_bits(v.w, 24, 8))                                                                          \
  ASSAY_UNPACK(unorm10a2, T, 4, uint, unorm(p, 0, 10), unorm(p, 10, 10), unorm(p, 20, 10), unorm(p, 30, 2))       \
  ASSAY_PACK(, unorm10a2, T, 4, uint,                                                                             \
             unorm_bits(v.x, 0, 10) | unorm_bits(v.y, 10, 10) | unorm_bits(v.z, 20, 10) | unorm_bits(v.w, 30, 2)) \
  ASSAY_UNPACK(unorm565, T, 3, ushort, unorm(p, 0, 5), unorm(p, 5, 6), unorm(p, 11, 5))                           \
  ASSAY_PACK(, unorm565, T, 3, ushort, unorm_bits(v.x, 0, 5) | unorm_bits(v.y, 5, 6) | unorm_bits(v.z, 11, 5))

ASSAY_PACKING(float)
ASSAY_PACKING(half)

#undef ASSAY_PACKING
#undef ASSAY_2X16
#undef ASSAY_4X8
#undef ASSAY_PACK
#undef ASSAY_UNPACK

}  // namespace metal
