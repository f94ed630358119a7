// The accesses that all types of textures share: read, write, sample and gather. A sample is a sum in float of the
// texels that the sampler selects, each times its share; a GPU rounds the shares.
#pragma once

#include <assay/atomic.h>
#include <assay/texel.h>

#if !ASSAY_NVPTX

namespace metal {

enum class access { sample, read, write, read_write };
enum class component { x, y, z, w };

namespace assay_detail {

template <class T>
inline constexpr bool is_component = is_same_v<T, float> || is_same_v<T, half> || is_same_v<T, int> ||
                                     is_same_v<T, uint> || is_same_v<T, short> || is_same_v<T, ushort>;

/// The place of a sample: coordinates along up to three axes, offsets in texels, and a layer.
struct Sampled {
  float x, y, z;
  uint axes, layer;
  int offset_x, offset_y, offset_z;
  float lod;
};

/// The face of a cube, as a layer, that the direction meets, and where: Metal Shading Language Specification, section
/// 2.9. At an edge only the texels of this face are weighed.
ASSAY_OWN Sampled on_cube(float x, float y, float z, uint cube, float lod) {
  const float ax = __builtin_fabsf(x), ay = __builtin_fabsf(y), az = __builtin_fabsf(z);
  const bool is_x = ax >= ay && ax >= az, is_y = !is_x && ay >= az;
  const float major = is_x ? ax : is_y ? ay : az;
  const uint face = is_x ? uint(x < 0) : is_y ? 2 + uint(y < 0) : 4 + uint(z < 0);
  const float across = is_x ? (x < 0 ? z : -z) : is_y ? x : (z < 0 ? -x : x);
  const float down = is_y ? (y < 0 ? -z : z) : -y;
  return {(across / major + 1) / 2, (down / major + 1) / 2, 0, 2, 6 * cube + face, 0, 0, 0, lod};
}

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
  ASSAY_IN_PLACE volatile atomic<T>* atomic_at(TexelPlace place, Site site) const {
    static_assert(is_same_v<T, int> || is_same_v<T, uint>,
                  "atomic functions: the texture needs components of int or uint");
    static_assert(how == access::read_write, "atomic functions: the texture needs access::read_write");
    return reinterpret_cast<volatile atomic<T>*>(texel_at(texture_, place, site));
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
}  // namespace metal

#endif
