#include "validation/shader/buffers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "metal/emulator/emulator_device.h"
#include "metal/emulator/emulator_encoder.h"
#include "metal/emulator/emulator_library.h"
#include "validation/shader/or_refuse.h"
#include "validation/shader/texture.h"

namespace assay::validation {
namespace {

/// Each byte of unwritten memory, alike on every device: NaN in every floating-point type.
constexpr int unset_byte = 0xFF;

std::shared_ptr<metal::Buffer> make_buffer(metal::Device& device, const std::string& name, const ShaderArray& array) {
  if (array.bytes) return or_refuse(device.new_buffer(*array.bytes, name));
  auto* const emulated = dynamic_cast<metal::emulator::EmulatorDevice*>(&device);
  if (emulated != nullptr && array.fill)
    return or_refuse(emulated->new_filled_buffer(array.length(), array.fill, name));
  if (emulated != nullptr && array.length() > large_array)
    return or_refuse(emulated->new_sparse_buffer(array.length(), array.is_large_zero, name));
  auto buffer = or_refuse(device.new_buffer(array.length(), name));
  if (emulated != nullptr && emulated->options().is_checked) return buffer;  // the emulator has filled it
  if (array.fill)
    array.fill({buffer->contents(), array.length()});
  else
    std::memset(buffer->contents(), array.is_large_zero ? 0 : unset_byte, array.length());
  if (array.is_written()) (void)buffer->did_modify(0, array.length());
  return buffer;
}

/// Makes an argument buffer of the buffer `name`, if it is one.
void write_addresses(metal::Device& device, const ShaderArray& array, const ShaderBuffers& buffers,
                     const std::string& name) {
  if (array.addresses_of.empty()) return;
  if (dynamic_cast<metal::emulator::EmulatorDevice*>(&device) == nullptr)
    throw std::invalid_argument(
        fmt::format("array {}=buffers:...: argument buffers with buffers inside run on the emulator, and not on {}",
                    name, device.name()));
  std::byte* to = buffers.at(name)->contents();
  for (const std::string& resource : array.addresses_of) {
    const auto address = reinterpret_cast<std::uintptr_t>(buffers.at(resource)->contents());
    std::memcpy(to, &address, sizeof(address));
    to += sizeof(address);
  }
}

}  // namespace

std::vector<std::byte> bytes_of_values(const std::vector<ShaderValue>& values) {
  std::vector<std::byte> bytes;
  std::size_t alignment = 1;
  const auto align = [&](std::size_t to) { bytes.resize((bytes.size() + to - 1) / to * to); };
  for (const ShaderValue& value : values) {
    const std::vector<std::byte> element = scalar_bytes(value.type, value.text);
    align(element.size());
    bytes.insert(bytes.end(), element.begin(), element.end());
    alignment = std::max(alignment, element.size());
  }
  align(alignment);
  return bytes;
}

ShaderBuffers make_buffers(metal::Device& device, const std::map<std::string, ShaderArray>& arrays) {
  ShaderBuffers buffers;
  for (const auto& [name, array] : arrays)
    if (array.length() != 0) buffers[name] = make_buffer(device, name, array);
  for (const auto& [name, array] : arrays) write_addresses(device, array, buffers, name);
  return buffers;
}

void write_functions(const metal::Device& device, const ShaderScript& script, const ShaderFunctions& functions,
                     const std::map<std::string, ShaderArray>& arrays, const ShaderBuffers& buffers) {
  for (std::size_t n = 0; n < functions.size(); ++n)
    for (const auto& [index, binding] : script.passes[n].buffers) {
      if (binding.array.empty()) continue;
      const std::vector<std::string>& names = arrays.at(binding.array).functions;
      const auto* const emulated = dynamic_cast<const metal::emulator::EmulatorFunction*>(functions[n].get());
      if (names.empty()) continue;
      if (emulated == nullptr)
        throw std::invalid_argument(
            fmt::format("array {}=functions:...: tables of visible functions are on the emulator, "
                        "and not on {}",
                        binding.array, device.name()));
      std::byte* to = buffers.at(binding.array)->contents();
      for (const std::string& name : names) {
        const void* const address = or_refuse(emulated->visible_function(name, index));
        std::memcpy(to, static_cast<const void*>(&address), sizeof(address));
        to += sizeof(address);
      }
    }
}

void use_resources(const ShaderPass& pass, const ShaderBuffers& buffers,
                   const std::map<std::string, ShaderArray>& arrays, metal::ComputeCommandEncoder& encoder) {
  auto* const emulated = dynamic_cast<metal::emulator::EmulatorEncoder*>(&encoder);
  for (const auto& [index, binding] : pass.buffers)
    if (const auto array = arrays.find(binding.array); array != arrays.end() && emulated != nullptr)
      for (const std::string& resource : array->second.addresses_of) emulated->use_resource(buffers.at(resource));
}

void bind_textures(const ShaderPass& pass, const metal::Function& function, const ShaderBuffers& buffers,
                   const std::map<std::string, ShaderArray>& arrays, metal::ComputeCommandEncoder& encoder) {
  if (pass.textures.empty() && pass.samplers.empty()) return;
  auto* const emulated = dynamic_cast<metal::emulator::EmulatorEncoder*>(&encoder);
  if (emulated == nullptr)
    throw std::invalid_argument(
        fmt::format("{}: kernels with textures or samplers run on the emulator alone", function.name()));
  for (const metal::Argument& argument : function.arguments()) {
    if (argument.kind != metal::Argument::Kind::texture) continue;
    const std::string& name = pass.textures.at(argument.index);
    emulated->set_texture(buffers.at(name), texture_of(argument, name, arrays.at(name)), argument.index);
  }
  for (const auto& [index, words] : pass.samplers)
    emulated->set_sampler(sampler_of(fmt::format("sampler {}", index), words), index);
}

}  // namespace assay::validation
