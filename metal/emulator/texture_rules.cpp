#include "metal/emulator/texture_rules.h"

#include <fmt/format.h>

#include <algorithm>

namespace assay::metal::emulator {

namespace {

constexpr std::uint32_t max_texels_of_buffer = 1U << 28, max_extent = 16384, max_extent_of_3d = 2048, max_layers = 2048;

const char* name_of(abi::TexelType type) {
  constexpr const char* names[] = {"float32", "float16", "uint8", "int8", "uint16", "int16", "uint32", "int32"};
  return names[static_cast<std::size_t>(type)];
}

bool fits(const std::string& component, abi::TexelType type) {
  using enum abi::TexelType;
  const bool is_signed = type == sint8 || type == sint16 || type == sint32;
  const bool is_unsigned = type == uint8 || type == uint16 || type == uint32;
  if (component == "int" || component == "short") return is_signed;
  if (component == "uint" || component == "ushort") return is_unsigned;
  return type != uint32 && type != sint32;
}

}  // namespace

std::uint64_t length_of(const abi::Texture& texture) {
  return std::uint64_t{texture.width} * texture.height * texture.depth * texture.layers * texture.channels *
         component_bytes(texture.type);
}

Result<void> check_texture(const abi::Texture& texture, std::uint64_t length) {
  const bool is_line = texture.height == 1 && texture.depth == 1 && texture.layers == 1;
  const std::uint32_t limit = is_line ? max_texels_of_buffer : texture.depth > 1 ? max_extent_of_3d : max_extent;
  const auto refused = [&](std::string expected) {
    return error(Error::Kind::argument,
                 fmt::format("setTexture:atIndex: a texture of {} x {} x {} texels with {} "
                             "channels in {} layers: expected {}",
                             texture.width, texture.height, texture.depth, texture.channels, texture.layers, expected));
  };
  if (texture.channels != 1 && texture.channels != 2 && texture.channels != 4)
    return refused("1, 2 or 4 channels, since Metal has no other formats");
  const auto [least, most] = std::minmax({texture.width, texture.height, texture.depth});
  if (least == 0 || most > limit) return refused(fmt::format("1 to {} texels along each axis", limit));
  if (texture.layers == 0 || texture.layers > max_layers) return refused(fmt::format("1 to {} layers", max_layers));
  if (length_of(texture) > length)
    return refused(fmt::format("{} bytes, and the buffer has {}", length_of(texture), length));
  return {};
}

Result<void> check_texel_type(const std::string& kernel, const Argument& argument, const abi::Texture& texture) {
  if (fits(argument.element_type, texture.type)) return {};
  return error(Error::Kind::binding,
               fmt::format("{}: texture({}) `{}` is {}: it cannot hold numbers of type {}", kernel, argument.index,
                           argument.name, argument.type, name_of(texture.type)));
}

}  // namespace assay::metal::emulator
