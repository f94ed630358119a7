#include "validation/shader/texture.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string_view>
#include <vector>

namespace assay::validation {

namespace {

using namespace metal::emulator::abi;

/// The axes of a type's shape without channels.
struct TextureAxes {
  std::string type;
  std::vector<std::string_view> names;
};
const std::vector<TextureAxes> textures = {{"texture1d", {"width"}},
                                           {"texture_buffer", {"width"}},
                                           {"texture1d_array", {"layers", "width"}},
                                           {"texture2d", {"height", "width"}},
                                           {"depth2d", {"height", "width"}},
                                           {"texture2d_array", {"layers", "height", "width"}},
                                           {"depth2d_array", {"layers", "height", "width"}},
                                           {"texturecube", {"faces", "height", "width"}},
                                           {"depthcube", {"faces", "height", "width"}},
                                           {"texturecube_array", {"faces", "height", "width"}},
                                           {"texture3d", {"depth", "height", "width"}}};

std::optional<TexelType> texel_type(const std::string& scalar) {
  const std::array<std::pair<std::string_view, TexelType>, 8> types{{{"float", TexelType::float32},
                                                                     {"half", TexelType::float16},
                                                                     {"uchar", TexelType::uint8},
                                                                     {"char", TexelType::sint8},
                                                                     {"ushort", TexelType::uint16},
                                                                     {"short", TexelType::sint16},
                                                                     {"uint", TexelType::uint32},
                                                                     {"int", TexelType::sint32}}};
  const auto* const found = std::ranges::find(types, scalar, &std::pair<std::string_view, TexelType>::first);
  return found == types.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace

Texture texture_of(const metal::Argument& argument, const std::string& name, const ShaderArray& array) {
  const auto axes = std::ranges::find(textures, argument.attribute, &TextureAxes::type);
  if (axes == textures.end()) throw std::invalid_argument(fmt::format("{}: {} is no texture", name, argument.type));
  const auto type = texel_type(array.scalar);
  if (!type)
    throw std::invalid_argument(
        fmt::format("{} is {}: expected float32, float16 or integers of 8 to 32 bits", name, array.summary()));
  Texture texture{nullptr, *type, 1};
  const std::size_t count = axes->names.size(), given = array.shape.size();
  const bool is_short = std::ranges::all_of(
      array.shape, [](std::int64_t extent) { return extent <= std::numeric_limits<std::int32_t>::max(); });
  const std::int64_t channels = given == count + 1 ? array.shape.back() : 1;
  if ((given != count && given != count + 1) || !is_short || (channels != 1 && channels != 2 && channels != 4))
    throw std::invalid_argument(fmt::format("{} is {}: {} {} takes {}, and 1, 2 or 4 channels behind them", name,
                                            array.summary(), argument.type, argument.name,
                                            fmt::join(axes->names, ", ")));
  texture.channels = static_cast<std::uint32_t>(channels);
  for (std::size_t n = 0; n < count; ++n) {
    const std::string_view axis = axes->names[n];
    if (axis == "faces" && array.shape[n] % 6 != 0)
      throw std::invalid_argument(
          fmt::format("{} is {}: {} {} takes the six faces of a cube, +x, -x, +y, -y, +z, -z, in "
                      "front of height and width",
                      name, array.summary(), argument.type, argument.name));
    (axis == "layers" || axis == "faces" ? texture.layers
     : axis == "depth"                   ? texture.depth
     : axis == "height"                  ? texture.height
                                         : texture.width) = static_cast<std::uint32_t>(array.shape[n]);
  }
  return texture;
}

Sampler sampler_of(const std::string& name, const std::string& words) {
  constexpr std::array<std::string_view, 5> modes = {"clamp_to_edge", "clamp_to_zero", "clamp_to_border", "repeat",
                                                     "mirrored_repeat"};
  Sampler sampler;
  std::istringstream list(words);
  for (std::string word; std::getline(list, word, ',');) {
    const auto mode = static_cast<std::size_t>(std::ranges::find(modes, word) - modes.begin());
    if (word == "linear" || word == "nearest")
      sampler.magnifies_linear = sampler.minifies_linear = word == "linear";
    else if (word == "pixel" || word == "normalized")
      sampler.is_pixel = word == "pixel";
    else if (mode < modes.size() && word != "clamp_to_border")
      std::ranges::fill(sampler.address, static_cast<SamplerAddress>(mode));
    else
      throw std::invalid_argument(
          fmt::format("{}={}: '{}': expected linear or nearest, normalized or pixel, clamp_to_edge, clamp_to_zero, "
                      "repeat or mirrored_repeat",
                      name, words, word));
  }
  return sampler;
}

}  // namespace assay::validation
