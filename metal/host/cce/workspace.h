// The buffers of linear cross-entropy on a device: inputs, outputs and intermediate results.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "metal/device/device.h"
#include "metal/host/cce/statement.h"

namespace assay::metal::host {

/// By cce::BufferIndex; null if no kernel uses the index.
using CceWorkspace = std::array<std::shared_ptr<Buffer>, cce::dbias_index + 1>;

struct CceInputs {
  std::span<const cce::Token> tokens;
  std::span<const std::byte> hidden, weight, bias;
  std::span<const cce::LogSum> lse;  ///< [M] if forward results are not wanted, else empty
};

/// Errors: limit, for extents whose rows the kernels cannot count, or whose bytes do not fit in 64 bits.
Result<void> check_cce_extents(std::uint64_t N, std::uint64_t H, std::uint64_t V);

/// The bytes of all buffers whose length does not depend on the chunk.
std::uint64_t cce_fixed_bytes(const CceStatement& statement);

/// Allocates the buffers and copies the inputs. Errors: those of Device::new_buffer, with the buffer's name and bytes.
Result<CceWorkspace> cce_workspace(Device& device, const CceStatement& statement, const CceInputs& inputs);

}  // namespace assay::metal::host
