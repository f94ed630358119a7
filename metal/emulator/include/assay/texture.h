// Textures as compute kernels use them: Metal Shading Language Specification, sections 2.9 and 6.12. They have one
// level.
//
// Each access of a texel is one of the memory that it lies in, at the line of read, write or sample, and a texel that
// the texture does not have is reported before it is touched. A sample is a sum in float of the texels that the sampler
// selects, each times its share; a GPU rounds the shares.
#pragma once

#include <assay/sampler.h>

#if !ASSAY_NVPTX

namespace metal {

enum class access { sample, read, write, read_write };
enum class component { x, y, z, w };

namespace assay_detail {

using abi::TexelPlace;
using abi::TexelType;
using abi::Texture;

template <class T>
inline constexpr bool is_component = is_same_v<T, float> || is_same_v<T, half> || is_same_v<T, int> ||
                                     is_same_v<T, uint> || is_same_v<T, short> || is_same_v<T, ushort>;

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

/// Signed integers of `bits` as fractions: the smallest number and the one after it are -1.
ASSAY_OWN float fraction(int number, float largest) {
  return number < -largest ? -1.0f : float(number) / largest;
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

/// The integer nearest to the fraction, ties to even; of NaN 0.
ASSAY_OWN uint nearest(float value, float least, float largest) {
  const float inside = !(value > least) ? (value <= least ? least : 0.0f) : value > 1.0f ? 1.0f : value;
  return uint(int(__builtin_rintf(inside * largest)));
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

/// The place of a sample: coordinates along up to three axes, offsets in texels, and a layer.
struct Sampled {
  float x, y, z;
  uint axes, layer;
  int offset_x, offset_y, offset_z;
  float lod;
};

ASSAY_OWN bool is_linear(const abi::Sampler& s, float lod) {
  return lod > 0 ? s.minifies_linear : s.magnifies_linear;
}

/// Corner `n` of the square or cube of texels around the coordinates; null outside of the texture.
ASSAY_OWN const uchar* corner(const Texture* t, const abi::Sampler& s, const Sampled& at, bool linear, uint n) {
  const AxisTexel x = axis_texel(s, 0, at.x, at.offset_x, t->width, linear, (n & 1) != 0);
  const AxisTexel y = axis_texel(s, 1, at.y, at.offset_y, t->height, linear && at.axes > 1, (n & 2) != 0);
  const AxisTexel z = axis_texel(s, 2, at.z, at.offset_z, t->depth, linear && at.axes > 2, (n & 4) != 0);
  if (x.number < 0 || (y.number < 0 && at.axes > 1) || (z.number < 0 && at.axes > 2)) return nullptr;
  const uint layer = at.layer < t->layers ? at.layer : t->layers - 1;
  return texel(t, {uint(x.number), at.axes > 1 ? uint(y.number) : 0, at.axes > 2 ? uint(z.number) : 0, layer, 0});
}
ASSAY_OWN float corner_weight(const Texture* t, const abi::Sampler& s, const Sampled& at, bool linear, uint n) {
  float weight = axis_texel(s, 0, at.x, 0, t->width, linear, (n & 1) != 0).weight;
  if (at.axes > 1) weight *= axis_texel(s, 1, at.y, 0, t->height, linear, (n & 2) != 0).weight;
  if (at.axes > 2) weight *= axis_texel(s, 2, at.z, 0, t->depth, linear, (n & 4) != 0).weight;
  return weight;
}

/// The colour outside a texture: clamp_to_zero gives 0 where the format has a fourth component, else black.
template <class T>
ASSAY_OWN vec<T, 4> border_of(const Texture* t, const abi::Sampler& s) {
  bool is_zero = false;
  for (abi::SamplerAddress mode : s.address) is_zero = is_zero || mode == abi::SamplerAddress::clamp_to_zero;
  if (is_zero) return vec<T, 4>(T(0), T(0), T(0), T(t->channels < 4));
  const T color = T(s.border == abi::BorderColor::opaque_white);
  return vec<T, 4>(color, color, color, T(s.border != abi::BorderColor::transparent_black));
}

ASSAY_OWN bool is_bound(const Texture* t) {
  return t->texels != nullptr;
}

template <class T, access how>
class TextureOf {
 public:
  static_assert(is_component<T>, "a texture has components of float, half, int, uint, short or ushort");
  using assay_component = T;
  static constexpr bool assay_is_written = how == access::write || how == access::read_write;

  TextureOf() = default;
  ASSAY_OWN explicit TextureOf(const Texture* given) : texture_(given) {}

  ASSAY_OWN uint get_width(uint = 0) const { return texture_->width; }
  ASSAY_OWN uint get_num_mip_levels() const { return 1; }
  /// Orders a thread's own accesses of a texture that it reads and writes: here they are ordered anyway.
  void fence() const {}
  ASSAY_OWN friend bool is_null_texture(TextureOf texture) { return !is_bound(texture.texture_); }

 protected:
  ASSAY_IN_PLACE vec<T, 4> read_at(TexelPlace place, Site site) const {
    static_assert(how != access::write, "read: the texture has access::write");
    return load_texel<T>(texture_, texel_at(texture_, place, site));
  }
  ASSAY_IN_PLACE void write_at(vec<T, 4> color, TexelPlace place, Site site) const {
    static_assert(assay_is_written, "write: the texture needs access::write or access::read_write");
    store_texel<T>(texture_, texel_at(texture_, place, site), color);
  }
  ASSAY_IN_PLACE vec<T, 4> sample_at(const sampler& s, const Sampled& at, Site site) const {
    static_assert(how == access::sample, "sample: the texture needs access::sample");
    if (!is_bound(texture_)) texture_out_of_bounds(texture_, {}, site);
    const bool linear = is_floating_point_v<T> && is_linear(s, at.lod);
    if (!linear) {
      const uchar* const from = corner(texture_, s, at, false, 0);
      return from == nullptr ? border_of<T>(texture_, s) : load_texel<T>(texture_, from);
    }
    vec<float, 4> sum(0.0f);
    for (uint n = 0; n < 1u << at.axes; ++n) {
      const uchar* const from = corner(texture_, s, at, true, n);
      const float weight = corner_weight(texture_, s, at, true, n);
      const vec<T, 4> texel = from == nullptr ? border_of<T>(texture_, s) : load_texel<T>(texture_, from);
      for (uint c = 0; c < 4; ++c) sum.at(c) += weight * float(texel.at(c));
    }
    return vec<T, 4>(T(sum.at(0)), T(sum.at(1)), T(sum.at(2)), T(sum.at(3)));
  }

  /// One component of the four texels that a linear sample weighs: (0, 1), (1, 1), (1, 0), (0, 0) of their square.
  ASSAY_IN_PLACE vec<T, 4> gather_at(const sampler& s, const Sampled& at, component c, Site site) const {
    static_assert(how == access::sample, "gather: the texture needs access::sample");
    if (!is_bound(texture_)) texture_out_of_bounds(texture_, {}, site);
    constexpr uint corners[] = {2, 3, 1, 0};
    vec<T, 4> result(T(0));
    for (uint n = 0; n < 4; ++n) {
      const uchar* const from = corner(texture_, s, at, true, corners[n]);
      result.at(n) = (from == nullptr ? border_of<T>(texture_, s) : load_texel<T>(texture_, from)).at(uint(c));
    }
    return result;
  }

  const Texture* texture_ = nullptr;
};

}  // namespace assay_detail

#define ASSAY_TEXTURE_BODY(name)                      \
  using Site = assay_detail::Site;                    \
  using assay_detail::TextureOf<T, how>::TextureOf;   \
  static constexpr const char* assay_texture_name() { \
    return #name;                                     \
  }
/// After a coordinate `at` that becomes the place {...}.
#define ASSAY_READ_WRITE(Coordinate, ...)                                                                       \
  ASSAY_IN_PLACE vec<T, 4> read(Coordinate at, uint lod = 0, Site site = assay_detail::here("read of a texel")) \
      const {                                                                                                   \
    return this->read_at({__VA_ARGS__, 0, lod}, site);                                                          \
  }                                                                                                             \
  ASSAY_IN_PLACE void write(vec<T, 4> color, Coordinate at, uint lod = 0,                                       \
                            Site site = assay_detail::here("write of a texel")) const {                         \
    this->write_at(color, {__VA_ARGS__, 0, lod}, site);                                                         \
  }
#define ASSAY_READ_WRITE_LAYER(Coordinate, ...)                                            \
  ASSAY_IN_PLACE vec<T, 4> read(Coordinate at, uint layer, uint lod = 0,                   \
                                Site site = assay_detail::here("read of a texel")) const { \
    return this->read_at({__VA_ARGS__, layer, lod}, site);                                 \
  }                                                                                        \
  ASSAY_IN_PLACE void write(vec<T, 4> color, Coordinate at, uint layer, uint lod = 0,      \
                            Site site = assay_detail::here("write of a texel")) const {    \
    this->write_at(color, {__VA_ARGS__, layer, lod}, site);                                \
  }

template <class T, access how = access::sample>
class texture1d : public assay_detail::TextureOf<T, how> {
 public:
  ASSAY_TEXTURE_BODY(texture1d);
  ASSAY_READ_WRITE(uint, at, 0, 0);
  ASSAY_IN_PLACE vec<T, 4> sample(sampler s, float at, Site site = assay_detail::here("sample")) const {
    return this->sample_at(s, {at, 0, 0, 1, 0, 0, 0, 0, 0}, site);
  }
};

template <class T, access how = access::sample>
class texture1d_array : public assay_detail::TextureOf<T, how> {
 public:
  ASSAY_TEXTURE_BODY(texture1d_array);
  ASSAY_OWN uint get_array_size() const { return this->texture_->layers; }
  ASSAY_READ_WRITE_LAYER(uint, at, 0, 0);
  ASSAY_IN_PLACE vec<T, 4> sample(sampler s, float at, uint layer, Site site = assay_detail::here("sample")) const {
    return this->sample_at(s, {at, 0, 0, 1, layer, 0, 0, 0, 0}, site);
  }
};

template <class T, access how = access::sample>
class texture2d : public assay_detail::TextureOf<T, how> {
 public:
  ASSAY_TEXTURE_BODY(texture2d);
  ASSAY_OWN uint get_height(uint = 0) const { return this->texture_->height; }
  ASSAY_READ_WRITE(uint2, at.x, at.y, 0);
  ASSAY_READ_WRITE(ushort2, at.x, at.y, 0);
  ASSAY_IN_PLACE vec<T, 4> sample(sampler s, float2 at, int2 offset = int2(0),
                                  Site site = assay_detail::here("sample")) const {
    return this->sample_at(s, {at.x, at.y, 0, 2, 0, offset.x, offset.y, 0, 0}, site);
  }
  ASSAY_IN_PLACE vec<T, 4> sample(sampler s, float2 at, level l, int2 offset = int2(0),
                                  Site site = assay_detail::here("sample")) const {
    return this->sample_at(s, {at.x, at.y, 0, 2, 0, offset.x, offset.y, 0, l.lod}, site);
  }
  ASSAY_IN_PLACE vec<T, 4> gather(sampler s, float2 at, int2 offset = int2(0), component c = component::x,
                                  Site site = assay_detail::here("gather")) const {
    return this->gather_at(s, {at.x, at.y, 0, 2, 0, offset.x, offset.y, 0, 0}, c, site);
  }
};

/// Depths: texels of one component, which kernels do not write.
template <class T, access how = access::sample>
class depth2d : public assay_detail::TextureOf<T, how> {
 public:
  static_assert(is_same_v<T, float>, "a depth texture has components of float");
  static_assert(how == access::sample || how == access::read, "a depth texture has access::sample or access::read");
  ASSAY_TEXTURE_BODY(depth2d);
  ASSAY_OWN uint get_height(uint = 0) const { return this->texture_->height; }
  ASSAY_IN_PLACE T read(uint2 at, uint lod = 0, Site site = assay_detail::here("read of a texel")) const {
    return this->read_at({at.x, at.y, 0, 0, lod}, site).at(0);
  }
  ASSAY_IN_PLACE T read(ushort2 at, uint lod = 0, Site site = assay_detail::here("read of a texel")) const {
    return this->read_at({at.x, at.y, 0, 0, lod}, site).at(0);
  }
  ASSAY_IN_PLACE T sample(sampler s, float2 at, int2 offset = int2(0), Site site = assay_detail::here("sample")) const {
    return this->sample_at(s, {at.x, at.y, 0, 2, 0, offset.x, offset.y, 0, 0}, site).at(0);
  }
  ASSAY_IN_PLACE T sample(sampler s, float2 at, level l, int2 offset = int2(0),
                          Site site = assay_detail::here("sample")) const {
    return this->sample_at(s, {at.x, at.y, 0, 2, 0, offset.x, offset.y, 0, l.lod}, site).at(0);
  }
  ASSAY_IN_PLACE vec<T, 4> gather(sampler s, float2 at, int2 offset = int2(0),
                                  Site site = assay_detail::here("gather")) const {
    return this->gather_at(s, {at.x, at.y, 0, 2, 0, offset.x, offset.y, 0, 0}, component::x, site);
  }
};

template <class T, access how = access::sample>
class texture2d_array : public assay_detail::TextureOf<T, how> {
 public:
  ASSAY_TEXTURE_BODY(texture2d_array);
  ASSAY_OWN uint get_height(uint = 0) const { return this->texture_->height; }
  ASSAY_OWN uint get_array_size() const { return this->texture_->layers; }
  ASSAY_READ_WRITE_LAYER(uint2, at.x, at.y, 0);
  ASSAY_READ_WRITE_LAYER(ushort2, at.x, at.y, 0);
  ASSAY_IN_PLACE vec<T, 4> sample(sampler s, float2 at, uint layer, int2 offset = int2(0),
                                  Site site = assay_detail::here("sample")) const {
    return this->sample_at(s, {at.x, at.y, 0, 2, layer, offset.x, offset.y, 0, 0}, site);
  }
  ASSAY_IN_PLACE vec<T, 4> sample(sampler s, float2 at, uint layer, level l, int2 offset = int2(0),
                                  Site site = assay_detail::here("sample")) const {
    return this->sample_at(s, {at.x, at.y, 0, 2, layer, offset.x, offset.y, 0, l.lod}, site);
  }
};

template <class T, access how = access::sample>
class texture3d : public assay_detail::TextureOf<T, how> {
 public:
  ASSAY_TEXTURE_BODY(texture3d);
  ASSAY_OWN uint get_height(uint = 0) const { return this->texture_->height; }
  ASSAY_OWN uint get_depth(uint = 0) const { return this->texture_->depth; }
  ASSAY_READ_WRITE(uint3, at.x, at.y, at.z);
  ASSAY_READ_WRITE(ushort3, at.x, at.y, at.z);
  ASSAY_IN_PLACE vec<T, 4> sample(sampler s, float3 at, int3 offset = int3(0),
                                  Site site = assay_detail::here("sample")) const {
    return this->sample_at(s, {at.x, at.y, at.z, 3, 0, offset.x, offset.y, offset.z, 0}, site);
  }
  ASSAY_IN_PLACE vec<T, 4> sample(sampler s, float3 at, level l, int3 offset = int3(0),
                                  Site site = assay_detail::here("sample")) const {
    return this->sample_at(s, {at.x, at.y, at.z, 3, 0, offset.x, offset.y, offset.z, l.lod}, site);
  }
};

template <class T, access how = access::read>
class texture_buffer : public assay_detail::TextureOf<T, how> {
 public:
  ASSAY_TEXTURE_BODY(texture_buffer);
  ASSAY_READ_WRITE(uint, at, 0, 0);
};

#undef ASSAY_TEXTURE_BODY
#undef ASSAY_READ_WRITE
#undef ASSAY_READ_WRITE_LAYER

}  // namespace metal

#endif
