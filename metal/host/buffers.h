// Buffers by the names that their operation gives them: labels on the device, and words for what could not be made.
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

/// `bytes` of memory that nobody has written, at least 16: a buffer of nothing can be bound too. Labelled "operation
/// name". Errors: those of Device::new_buffer, with the buffer's name and bytes.
Result<std::shared_ptr<Buffer>> new_buffer(Device& device, const char* operation, const char* name,
                                           std::uint64_t bytes);

/// A copy of `contents`; of no contents as above.
Result<std::shared_ptr<Buffer>> new_buffer(Device& device, const char* operation, const char* name,
                                           std::span<const std::byte> contents);

/// Fills a workspace, an array of buffers by their index, up to the first one that there is no memory for.
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
