// Textures and samplers of a script: from an array's shape, and from words.
#pragma once

#include <string>

#include "metal/device/function.h"
#include "metal/emulator/abi/texture.h"
#include "validation/shader/array.h"

namespace assay::validation {

/// The texture that an array is to the argument: its shape is that of texels, the first axis of an array of textures
/// the layer, then depth, height and width as the type has them, and a last axis of 1, 2 or 4 channels may follow.
/// Throws std::invalid_argument, with `name`, for other shapes and for numbers that no texture holds.
metal::emulator::abi::Texture texture_of(const metal::Argument& argument, const std::string& name,
                                         const ShaderArray& array);

/// The sampler that words separated by commas describe: linear or nearest; normalized or pixel; clamp_to_edge,
/// clamp_to_zero, repeat or mirrored_repeat. The defaults are nearest, normalized and clamp_to_edge, as in an
/// MTLSamplerDescriptor. Throws std::invalid_argument, with `name`, for other words.
metal::emulator::abi::Sampler sampler_of(const std::string& name, const std::string& words);

}  // namespace assay::validation
