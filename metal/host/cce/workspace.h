// The buffers of linear cross-entropy on a device: inputs, outputs, and what its kernels keep in between.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "metal/device/device.h"
#include "metal/host/cce/statement.h"

namespace assay::metal::host {

/// By cce::BufferIndex; null where no kernel takes one.
using CceWorkspace = std::array<std::shared_ptr<Buffer>, cce::dbias_index + 1>;

struct CceInputs {
  std::span<const cce::Token> tokens;
  std::span<const std::byte> hidden, weight, bias;
  std::span<const cce::LogSum> lse;  ///< [M] without forward work, else empty
};

/// Errors: limit, for extents of which the kernels, or 64 bits, cannot count what has to be counted.
Result<void> check_cce_extents(std::uint64_t N, std::uint64_t H, std::uint64_t V);

/// Bytes of all that is allocated whatever the chunk.
std::uint64_t cce_fixed_bytes(const CceStatement& statement);

/// Allocates and copies. Errors: those of Device::new_buffer, with the buffer's name and bytes.
Result<CceWorkspace> cce_workspace(Device& device, const CceStatement& statement, const CceInputs& inputs);

}  // namespace assay::metal::host
