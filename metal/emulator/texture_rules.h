// The rules by which an emulated device refuses a texture: Metal Shading Language Specification, section 2.9, and Metal
// Feature Set Tables.
#pragma once

#include "metal/device/function.h"
#include "metal/device/result.h"
#include "metal/emulator/abi/texture.h"

namespace assay::metal::emulator {

/// The bytes of all texels.
std::uint64_t length_of(const abi::Texture& texture);

/// Refuses a texture of a size or with a number of channels that Metal does not have, or longer than `length` bytes.
Result<void> check_texture(const abi::Texture& texture, std::uint64_t length);

/// Refuses a texture whose numbers the argument cannot take: texture2d<float> takes fractions and floating-point
/// numbers, texture2d<int> signed and texture2d<uint> unsigned integers.
Result<void> check_texel_type(const std::string& kernel, const Argument& argument, const abi::Texture& texture);

}  // namespace assay::metal::emulator
