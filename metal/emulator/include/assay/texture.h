// Textures as compute kernels use them: Metal Shading Language Specification, sections 2.9 and 6.12. They have one
// level.
#pragma once

#include <assay/texture_access.h>

#if !ASSAY_NVPTX

namespace metal {

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

#define ASSAY_PLACE(...) {__VA_ARGS__}
#define ASSAY_ATOMIC_FETCH(name, place, ...)                                                                         \
  ASSAY_IN_PLACE vec<T, 4> atomic_fetch_##name(__VA_ARGS__, vec<T, 4> operand,                                       \
                                               Site site = assay_detail::here("atomic function of a texel")) const { \
    return vec<T, 4>(                                                                                                \
        atomic_fetch_##name##_explicit(this->atomic_at(ASSAY_PLACE place, site), operand.x, memory_order_relaxed));  \
  }
/// The atomic functions of a texture of int or uint (MSL 3.1, section 6.12): of the texel at (place), of parameters.
#define ASSAY_ATOMICS(place, ...)                                                                                 \
  ASSAY_IN_PLACE vec<T, 4> atomic_load(__VA_ARGS__, Site site = assay_detail::here("atomic function of a texel")) \
      const {                                                                                                     \
    return vec<T, 4>(atomic_load_explicit(this->atomic_at(ASSAY_PLACE place, site), memory_order_relaxed));       \
  }                                                                                                               \
  ASSAY_IN_PLACE void atomic_store(vec<T, 4> color, __VA_ARGS__,                                                  \
                                   Site site = assay_detail::here("atomic function of a texel")) const {          \
    atomic_store_explicit(this->atomic_at(ASSAY_PLACE place, site), color.x, memory_order_relaxed);               \
  }                                                                                                               \
  ASSAY_IN_PLACE vec<T, 4> atomic_exchange(__VA_ARGS__, vec<T, 4> color,                                          \
                                           Site site = assay_detail::here("atomic function of a texel")) const {  \
    return vec<T, 4>(                                                                                             \
        atomic_exchange_explicit(this->atomic_at(ASSAY_PLACE place, site), color.x, memory_order_relaxed));       \
  }                                                                                                               \
  ASSAY_IN_PLACE bool atomic_compare_exchange_weak(__VA_ARGS__, vec<T, 4>* expected, vec<T, 4> color,             \
                                                   Site site = assay_detail::here("atomic function of a texel"))  \
      const {                                                                                                     \
    return atomic_compare_exchange_weak_explicit(this->atomic_at(ASSAY_PLACE place, site), &expected->x, color.x, \
                                                 memory_order_relaxed, memory_order_relaxed);                     \
  }                                                                                                               \
  ASSAY_ATOMIC_FETCH(add, place, __VA_ARGS__)                                                                     \
  ASSAY_ATOMIC_FETCH(sub, place, __VA_ARGS__)                                                                     \
  ASSAY_ATOMIC_FETCH(min, place, __VA_ARGS__)                                                                     \
  ASSAY_ATOMIC_FETCH(max, place, __VA_ARGS__)                                                                     \
  ASSAY_ATOMIC_FETCH(and, place, __VA_ARGS__)                                                                     \
  ASSAY_ATOMIC_FETCH(or, place, __VA_ARGS__)                                                                      \
  ASSAY_ATOMIC_FETCH(xor, place, __VA_ARGS__)

template <class T, access how = access::sample>
class texture1d : public assay_detail::TextureOf<T, how> {
 public:
  ASSAY_TEXTURE_BODY(texture1d);
  ASSAY_READ_WRITE(uint, at, 0, 0);
  ASSAY_ATOMICS((at, 0, 0, 0, 0), uint at)
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
  ASSAY_ATOMICS((at, 0, 0, layer, 0), uint at, uint layer)
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
  ASSAY_ATOMICS((at.x, at.y, 0, 0, 0), uint2 at)
  ASSAY_ATOMICS((at.x, at.y, 0, 0, 0), ushort2 at)
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

#define ASSAY_EXPECT_DEPTH                                                       \
  static_assert(is_same_v<T, float>, "a depth texture has components of float"); \
  static_assert(how == access::sample || how == access::read, "a depth texture has access::sample or access::read");

/// Depths: texels of one component, which kernels do not write.
template <class T, access how = access::sample>
class depth2d : public assay_detail::TextureOf<T, how> {
 public:
  ASSAY_EXPECT_DEPTH
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
  ASSAY_ATOMICS((at.x, at.y, 0, layer, 0), uint2 at, uint layer)
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
class depth2d_array : public assay_detail::TextureOf<T, how> {
 public:
  ASSAY_EXPECT_DEPTH
  ASSAY_TEXTURE_BODY(depth2d_array);
  ASSAY_OWN uint get_height(uint = 0) const { return this->texture_->height; }
  ASSAY_OWN uint get_array_size() const { return this->texture_->layers; }
  ASSAY_IN_PLACE T read(uint2 at, uint layer, uint lod = 0, Site site = assay_detail::here("read of a texel")) const {
    return this->read_at({at.x, at.y, 0, layer, lod}, site).at(0);
  }
  ASSAY_IN_PLACE T read(ushort2 at, uint layer, uint lod = 0, Site site = assay_detail::here("read of a texel")) const {
    return this->read_at({at.x, at.y, 0, layer, lod}, site).at(0);
  }
  ASSAY_IN_PLACE T sample(sampler s, float2 at, uint layer, int2 offset = int2(0),
                          Site site = assay_detail::here("sample")) const {
    return this->sample_at(s, {at.x, at.y, 0, 2, layer, offset.x, offset.y, 0, 0}, site).at(0);
  }
  ASSAY_IN_PLACE T sample(sampler s, float2 at, uint layer, level l, int2 offset = int2(0),
                          Site site = assay_detail::here("sample")) const {
    return this->sample_at(s, {at.x, at.y, 0, 2, layer, offset.x, offset.y, 0, l.lod}, site).at(0);
  }
};

// Six faces, in the order +x, -x, +y, -y, +z, -z, are the layers of a cube.

template <class T, access how = access::sample>
class texturecube : public assay_detail::TextureOf<T, how> {
 public:
  ASSAY_TEXTURE_BODY(texturecube);
  ASSAY_OWN uint get_height(uint = 0) const { return this->texture_->height; }
  ASSAY_READ_WRITE_LAYER(uint2, at.x, at.y, 0);
  ASSAY_READ_WRITE_LAYER(ushort2, at.x, at.y, 0);
  ASSAY_IN_PLACE vec<T, 4> sample(sampler s, float3 at, Site site = assay_detail::here("sample")) const {
    return this->sample_at(s, assay_detail::on_cube(at.x, at.y, at.z, 0, 0), site);
  }
  ASSAY_IN_PLACE vec<T, 4> sample(sampler s, float3 at, level l, Site site = assay_detail::here("sample")) const {
    return this->sample_at(s, assay_detail::on_cube(at.x, at.y, at.z, 0, l.lod), site);
  }
};

template <class T, access how = access::sample>
class texturecube_array : public assay_detail::TextureOf<T, how> {
 public:
  ASSAY_TEXTURE_BODY(texturecube_array);
  ASSAY_OWN uint get_height(uint = 0) const { return this->texture_->height; }
  ASSAY_OWN uint get_array_size() const { return this->texture_->layers / 6; }
  ASSAY_IN_PLACE vec<T, 4> read(uint2 at, uint face, uint cube, uint lod = 0,
                                Site site = assay_detail::here("read of a texel")) const {
    return this->read_at({at.x, at.y, 0, 6 * cube + face, lod}, site);
  }
  ASSAY_IN_PLACE void write(vec<T, 4> color, uint2 at, uint face, uint cube, uint lod = 0,
                            Site site = assay_detail::here("write of a texel")) const {
    this->write_at(color, {at.x, at.y, 0, 6 * cube + face, lod}, site);
  }
  ASSAY_IN_PLACE vec<T, 4> sample(sampler s, float3 at, uint cube, Site site = assay_detail::here("sample")) const {
    return this->sample_at(s, assay_detail::on_cube(at.x, at.y, at.z, cube, 0), site);
  }
  ASSAY_IN_PLACE vec<T, 4> sample(sampler s, float3 at, uint cube, level l,
                                  Site site = assay_detail::here("sample")) const {
    return this->sample_at(s, assay_detail::on_cube(at.x, at.y, at.z, cube, l.lod), site);
  }
};

template <class T, access how = access::sample>
class depthcube : public assay_detail::TextureOf<T, how> {
 public:
  ASSAY_EXPECT_DEPTH
  ASSAY_TEXTURE_BODY(depthcube);
  ASSAY_OWN uint get_height(uint = 0) const { return this->texture_->height; }
  ASSAY_IN_PLACE T read(uint2 at, uint face, uint lod = 0, Site site = assay_detail::here("read of a texel")) const {
    return this->read_at({at.x, at.y, 0, face, lod}, site).at(0);
  }
  ASSAY_IN_PLACE T sample(sampler s, float3 at, Site site = assay_detail::here("sample")) const {
    return this->sample_at(s, assay_detail::on_cube(at.x, at.y, at.z, 0, 0), site).at(0);
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
  ASSAY_ATOMICS((at.x, at.y, at.z, 0, 0), uint3 at)
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
  ASSAY_ATOMICS((at, 0, 0, 0, 0), uint at)
};

#undef ASSAY_EXPECT_DEPTH
#undef ASSAY_TEXTURE_BODY
#undef ASSAY_PLACE
#undef ASSAY_ATOMICS
#undef ASSAY_ATOMIC_FETCH
#undef ASSAY_READ_WRITE
#undef ASSAY_READ_WRITE_LAYER

}  // namespace metal

#endif
