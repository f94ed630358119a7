// A texel of a texture in memory: its address, and its components as the texture's format stores them.
//
// An access of a texel is one of the memory that it lies in, at the line of read, write or sample, and a texel that the
// texture does not have is reported before it is touched.
#pragma once

#include <assay/pack.h>
#include <assay/sampler.h>

#if !ASSAY_NVPTX

namespace metal {
namespace assay_detail {

using abi::TexelPlace;
using abi::TexelType;
using abi::Texture;

#if ASSAY_LINT
bool texture_out_of_bounds(const Texture* texture, TexelPlace place, Site site);
#else
__attribute__((noinline)) ASSAY_UNCHECKED inline bool texture_out_of_bounds(const Texture* texture, TexelPlace place,
                                                                            Site site) {
  services->texture_out_of_bounds(texture, &place, &site);
  return false;
}
#endif

ASSAY_OWN uint texel_bytes(const Texture* t) {
  return t->channels * component_bytes(t->type);
}

/// The address of a texel.
ASSAY_OWN uchar* texel(const Texture* t, TexelPlace p) {
  const ulong number = ((ulong(p.layer) * t->depth + p.z) * t->height + p.y) * t->width + p.x;
  return static_cast<uchar*>(t->texels) + number * texel_bytes(t);
}
ASSAY_OWN uchar* texel_at(const Texture* t, TexelPlace p, Site site) {
  const bool is_inside = p.x < t->width && p.y < t->height && p.z < t->depth && p.layer < t->layers && p.level == 0;
  if (!is_inside) texture_out_of_bounds(t, p, site);
  return texel(t, p);
}

ASSAY_OWN uint channels_of(const Texture* t) {
  return t->channels;
}
ASSAY_OWN uint component_bytes_of(const Texture* t) {
  return component_bytes(t->type);
}

/// The component of type T that the bits in memory are.
template <class T>
ASSAY_OWN T decoded(const Texture* t, uint bits) {
  constexpr bool is_float = is_floating_point_v<T>;
  switch (t->type) {
    case TexelType::float32:
      return T(__builtin_bit_cast(float, bits));
    case TexelType::float16:
      return T(__builtin_bit_cast(half, ushort(bits)));
    case TexelType::uint8:
      return is_float ? T(float(bits) / 255.0f) : T(bits);
    case TexelType::sint8:
      return is_float ? T(fraction(int8_t(bits), 127.0f)) : T(int8_t(bits));
    case TexelType::uint16:
      return is_float ? T(float(bits) / 65535.0f) : T(bits);
    case TexelType::sint16:
      return is_float ? T(fraction(short(bits), 32767.0f)) : T(short(bits));
    default:
      return T(bits);
  }
}

template <class T>
ASSAY_OWN uint clamped(T value, long least, long most) {
  return uint(long(value) < least ? least : long(value) > most ? most : long(value));
}

/// The bits in memory of a component. Numbers that the format does not have become the nearest that it has.
template <class T>
ASSAY_OWN uint encoded(const Texture* t, T value) {
  constexpr bool is_float = is_floating_point_v<T>;
  switch (t->type) {
    case TexelType::float32:
      return __builtin_bit_cast(uint, float(value));
    case TexelType::float16:
      return __builtin_bit_cast(ushort, half(value));
    case TexelType::uint8:
      return is_float ? nearest(float(value), 0.0f, 255.0f) : clamped(value, 0, 255);
    case TexelType::sint8:
      return is_float ? nearest(float(value), -1.0f, 127.0f) : clamped(value, -128, 127);
    case TexelType::uint16:
      return is_float ? nearest(float(value), 0.0f, 65535.0f) : clamped(value, 0, 65535);
    case TexelType::sint16:
      return is_float ? nearest(float(value), -1.0f, 32767.0f) : clamped(value, -32768, 32767);
    default:
      return uint(value);
  }
}

ASSAY_IN_PLACE uint load_component(const uchar* from, uint bytes) {
  if (bytes == 4) return *reinterpret_cast<const uint*>(from);
  if (bytes == 2) return *reinterpret_cast<const ushort*>(from);
  return *from;
}
ASSAY_IN_PLACE void store_component(uchar* to, uint bytes, uint bits) {
  if (bytes == 4)
    *reinterpret_cast<uint*>(to) = bits;
  else if (bytes == 2)
    *reinterpret_cast<ushort*>(to) = ushort(bits);
  else
    *to = uchar(bits);
}

/// A component that the format lacks is 0, or 1 if it is the fourth.
template <class T>
ASSAY_IN_PLACE vec<T, 4> load_texel(const Texture* t, const uchar* from) {
  vec<T, 4> texel(T(0), T(0), T(0), T(1));
  const uint channels = channels_of(t), bytes = component_bytes_of(t);
  for (uint c = 0; c < channels; ++c) texel.at(c) = decoded<T>(t, load_component(from + c * bytes, bytes));
  return texel;
}
template <class T>
ASSAY_IN_PLACE void store_texel(const Texture* t, uchar* to, vec<T, 4> texel) {
  const uint channels = channels_of(t), bytes = component_bytes_of(t);
  for (uint c = 0; c < channels; ++c) store_component(to + c * bytes, bytes, encoded<T>(t, texel.at(c)));
}

}  // namespace assay_detail
}  // namespace metal

#endif
