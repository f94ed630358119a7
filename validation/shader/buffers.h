// The arrays of a script in the memory of a device: buffers, argument buffers, tables of functions, and textures.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "metal/device/device.h"
#include "validation/shader/array.h"
#include "validation/shader/bind.h"
#include "validation/shader/script.h"

namespace assay::validation {

/// The buffer of each array that has elements, by the array's name.
using ShaderBuffers = std::map<std::string, std::shared_ptr<metal::Buffer>>;

/// The bytes of a Metal struct of these values: each is at a multiple of its size. Throws std::invalid_argument if a
/// number does not fit its type.
std::vector<std::byte> bytes_of_values(const std::vector<ShaderValue>& values);

/// Makes the buffers, with the arrays' contents and the addresses that argument buffers hold. Throws
/// std::invalid_argument if the device has no room, or for argument buffers on another device than the emulator.
ShaderBuffers make_buffers(metal::Device& device, const std::map<std::string, ShaderArray>& arrays);

/// Fills the tables of visible functions that the passes take. Throws std::invalid_argument for a function that does
/// not fit its table, or for a table on another device than the emulator.
void write_functions(const metal::Device& device, const ShaderScript& script, const ShaderFunctions& functions,
                     const std::map<std::string, ShaderArray>& arrays, const ShaderBuffers& buffers);

/// Lets the kernel access the buffers to which the argument buffers of the pass point.
void use_resources(const ShaderPass& pass, const ShaderBuffers& buffers,
                   const std::map<std::string, ShaderArray>& arrays, metal::ComputeCommandEncoder& encoder);

/// Makes textures of the arrays, and binds the textures and the samplers. Throws std::invalid_argument for either on
/// another device than the emulator.
void bind_textures(const ShaderPass& pass, const metal::Function& function, const ShaderBuffers& buffers,
                   const std::map<std::string, ShaderArray>& arrays, metal::ComputeCommandEncoder& encoder);

}  // namespace assay::validation
