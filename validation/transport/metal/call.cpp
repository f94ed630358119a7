#include "validation/transport/metal/call.h"

#include <fmt/format.h>

#include <array>
#include <cstring>
#include <stdexcept>

namespace assay::validation::transport {
namespace {

// NaN in every type, little-endian: 0x7ffd7ffd as float, 0x7ffd as half and bfloat.
constexpr std::array pattern = {std::byte{0xfd}, std::byte{0x7f}, std::byte{0xfd}, std::byte{0x7f}};

}  // namespace

void MetalCall::poison(std::span<std::byte> contents) {
  for (std::size_t i = 0; i < contents.size(); ++i) contents[i] = pattern[i % pattern.size()];
}

bool MetalCall::is_poison(const MetalScalar& type, const std::byte* element) {
  return type.bytes <= pattern.size() && std::memcmp(element, pattern.data(), type.bytes) == 0;
}

void MetalCall::refuse(const std::string& name, std::size_t index, double value, const MetalScalar& type) const {
  throw std::invalid_argument(fmt::format("{}: types.{} = {}: expected a type that holds {}[{}] = {:.0f}",
                                          binding_.document.where(), name, type.name, name, index, value));
}

}  // namespace assay::validation::transport
