// sampler and its options: Metal Shading Language Specification, section 2.10; and the texels that a coordinate
// selects.
#pragma once

#include <assay/compute.h>

#if ASSAY_LINT
#include "../../abi/texture.h"
#endif

namespace metal {

enum class coord { normalized, pixel };
enum class filter { nearest, linear };
enum class mag_filter { nearest, linear };
enum class min_filter { nearest, linear };
enum class mip_filter { none, nearest, linear };
enum class address { clamp_to_edge, clamp_to_zero, clamp_to_border, repeat, mirrored_repeat };
enum class s_address { clamp_to_edge, clamp_to_zero, clamp_to_border, repeat, mirrored_repeat };
enum class t_address { clamp_to_edge, clamp_to_zero, clamp_to_border, repeat, mirrored_repeat };
enum class r_address { clamp_to_edge, clamp_to_zero, clamp_to_border, repeat, mirrored_repeat };
enum class border_color { transparent_black, opaque_black, opaque_white };
enum class compare_func { none, less, less_equal, greater, greater_equal, equal, not_equal, always, never };
/// Without derivatives and with one level, these two have no effect.
struct max_anisotropy {
  int value;
  explicit constexpr max_anisotropy(int v) : value(v) {}
};
struct lod_clamp {
  float least, most;
  constexpr lod_clamp(float from, float to) : least(from), most(to) {}
};

namespace assay_detail {

namespace abi = assay::metal::emulator::abi;

struct SamplerOptions : abi::Sampler {
  constexpr void set(coord c) { is_pixel = c == coord::pixel; }
  constexpr void set(filter f) { magnifies_linear = minifies_linear = f == filter::linear; }
  constexpr void set(mag_filter f) { magnifies_linear = f == mag_filter::linear; }
  constexpr void set(min_filter f) { minifies_linear = f == min_filter::linear; }
  constexpr void set(metal::address a) { address[0] = address[1] = address[2] = abi::SamplerAddress(uint(a)); }
  constexpr void set(s_address a) { address[0] = abi::SamplerAddress(uint(a)); }
  constexpr void set(t_address a) { address[1] = abi::SamplerAddress(uint(a)); }
  constexpr void set(r_address a) { address[2] = abi::SamplerAddress(uint(a)); }
  constexpr void set(border_color c) { border = abi::BorderColor(uint(c)); }
  constexpr void set(mip_filter) {}
  constexpr void set(compare_func) {}
  constexpr void set(max_anisotropy) {}
  constexpr void set(lod_clamp) {}
};

/// Along one axis: the number of a texel, which is -1 outside of a texture with a border, and its share of the result.
struct AxisTexel {
  long number;
  float weight;
};

ASSAY_OWN long addressed(long number, long size, abi::SamplerAddress mode) {
  switch (mode) {
    case abi::SamplerAddress::clamp_to_zero:
    case abi::SamplerAddress::clamp_to_border:
      return number < 0 || number >= size ? -1 : number;
    case abi::SamplerAddress::repeat:
      return (number % size + size) % size;
    case abi::SamplerAddress::mirrored_repeat: {
      const long twice = (number % (2 * size) + 2 * size) % (2 * size);
      return twice < size ? twice : 2 * size - 1 - twice;
    }
    default:
      return number < 0 ? 0 : number >= size ? size - 1 : number;
  }
}

/// The nearest texel; or the lower or the upper one of two, whose shares are linear in the coordinate.
ASSAY_OWN AxisTexel axis_texel(const abi::Sampler& s, uint axis, float coordinate, int offset, uint size, bool linear,
                               bool upper) {
  constexpr float far = 1e9f;  // also where a coordinate that is NaN or infinite ends
  float place = (s.is_pixel ? coordinate : coordinate * float(size)) - (linear ? 0.5f : 0.0f);
  if (!(place > -far)) place = -far;
  if (place > far) place = far;
  const float below = __builtin_floorf(place), share = place - below;
  return {addressed(long(below) + upper + offset, size, s.address[axis]), !linear ? 1.0f : upper ? share : 1 - share};
}

}  // namespace assay_detail

struct sampler : assay_detail::SamplerOptions {
  constexpr sampler() = default;
  template <class... Options, class = decltype((declval<assay_detail::SamplerOptions&>().set(declval<Options>()), ...))>
  constexpr sampler(Options... options) {
    (set(options), ...);
  }
  /// An argument.
  ASSAY_OWN explicit sampler(const assay_detail::abi::Sampler* given) : assay_detail::SamplerOptions{*given} {}
};

/// The level from which a texture is sampled: it decides between mag_filter and min_filter.
struct level {
  float lod;
  explicit constexpr level(float l) : lod(l) {}
};

}  // namespace metal
