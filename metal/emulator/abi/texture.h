// Textures and samplers, as the shader and the emulator share them. Compiled on both sides, as shader_abi.h.
#pragma once

namespace assay::metal::emulator::abi {

/// The components of a texel in memory. Unsigned and signed integers of 8 and 16 bits are fractions of their largest
/// value in a texture of float or half, and numbers in a texture of integers.
enum class TexelType : unsigned { float32, float16, uint8, sint8, uint16, sint16, uint32, sint32 };

constexpr unsigned component_bytes(TexelType type) {
  switch (type) {
    case TexelType::uint8:
    case TexelType::sint8:
      return 1;
    case TexelType::float16:
    case TexelType::uint16:
    case TexelType::sint16:
      return 2;
    default:
      return 4;
  }
}

/// Texels [layers][depth][height][width][channels] without gaps, and one level.
struct Texture {
  void* texels = nullptr;  ///< null: nothing is bound
  TexelType type = TexelType::float32;
  unsigned channels = 4;  ///< 1, 2 or 4
  unsigned width = 0, height = 1, depth = 1, layers = 1;
};

/// The place of a texel.
struct TexelPlace {
  unsigned x = 0, y = 0, z = 0, layer = 0, level = 0;
};

enum class SamplerAddress : unsigned { clamp_to_edge, clamp_to_zero, clamp_to_border, repeat, mirrored_repeat };
enum class BorderColor : unsigned { transparent_black, opaque_black, opaque_white };

struct Sampler {
  bool is_pixel = false;  ///< coordinates are in texels, not from 0 to 1
  bool magnifies_linear = false, minifies_linear = false;
  SamplerAddress address[3] = {};  ///< along x, y and z
  BorderColor border = BorderColor::transparent_black;
};

}  // namespace assay::metal::emulator::abi
