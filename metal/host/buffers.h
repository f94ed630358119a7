// Buffers by the names that their operation gives them: labels on the device, and words for what could not be made.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "metal/device/device.h"

namespace assay::metal::host {

/// `bytes` of memory that nobody has written, at least 16: a buffer of nothing can be bound too. Labelled "operation
/// name". Errors: those of Device::new_buffer, with the buffer's name and bytes.
Result<std::shared_ptr<Buffer>> new_buffer(Device& device, const char* operation, const char* name,
                                           std::uint64_t bytes);

/// A copy of `contents`; of no contents as above.
Result<std::shared_ptr<Buffer>> new_buffer(Device& device, const char* operation, const char* name,
                                           std::span<const std::byte> contents);

}  // namespace assay::metal::host
