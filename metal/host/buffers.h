// Buffers with the names that an operation gives them: as labels on the device and in error messages.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "metal/device/device.h"

namespace assay::metal::host {

/// A buffer of `bytes` uninitialised bytes, but at least 16, so that an empty array can be bound too. Its label is
/// "operation name". Errors: those of Device::new_buffer, with the buffer's name and bytes.
Result<std::shared_ptr<Buffer>> new_buffer(Device& device, const char* operation, const char* name,
                                           std::uint64_t bytes);

/// A buffer with a copy of `contents`; as above if they are empty.
Result<std::shared_ptr<Buffer>> new_buffer(Device& device, const char* operation, const char* name,
                                           std::span<const std::byte> contents);

/// Fills a workspace, an array of buffers by index. Stops at the first error, which take() returns.
template <class Workspace>
class Allocation {
 public:
  Allocation(Device& device, const char* operation) : device_(device), operation_(operation) {}

  void copy(std::uint32_t index, const char* name, std::span<const std::byte> contents) {
    if (!error_) keep(index, new_buffer(device_, operation_, name, contents));
  }
  void reserve(std::uint32_t index, const char* name, std::uint64_t bytes) {
    if (!error_) keep(index, new_buffer(device_, operation_, name, bytes));
  }
  Result<Workspace> take() {
    if (error_) return tl::unexpected(*error_);
    return std::move(workspace_);
  }

 private:
  void keep(std::uint32_t index, Result<std::shared_ptr<Buffer>> buffer) {
    if (buffer)
      workspace_[index] = std::move(*buffer);
    else
      error_ = buffer.error();
  }

  Device& device_;
  const char* operation_;
  Workspace workspace_;
  std::optional<Error> error_;
};

}  // namespace assay::metal::host
