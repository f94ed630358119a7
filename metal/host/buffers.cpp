#include "metal/host/buffers.h"

#include <fmt/format.h>

#include <algorithm>

#include "metal/host/failure.h"

namespace assay::metal::host {

namespace {

std::string allocating(const char* name, std::uint64_t bytes) {
  return fmt::format("allocating buffer `{}` of {} bytes", name, bytes);
}

}  // namespace

Result<std::shared_ptr<Buffer>> new_buffer(Device& device, const char* operation, const char* name,
                                           std::uint64_t bytes) {
  const std::uint64_t length = std::max<std::uint64_t>(bytes, 16);
  return made(device.new_buffer(length, fmt::format("{} {}", operation, name)), allocating(name, length));
}

Result<std::shared_ptr<Buffer>> new_buffer(Device& device, const char* operation, const char* name,
                                           std::span<const std::byte> contents) {
  if (contents.empty()) return new_buffer(device, operation, name, std::uint64_t{0});
  return made(device.new_buffer(contents, fmt::format("{} {}", operation, name)), allocating(name, contents.size()));
}

}  // namespace assay::metal::host
