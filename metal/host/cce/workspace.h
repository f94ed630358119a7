// The buffers of a plan of linear cross-entropy: the tables of its tokens, and intermediate results.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "metal/device/device.h"
#include "metal/host/cce/statement.h"
#include "metal/host/cce/tokens.h"

namespace assay::metal::host {

/// By cce::BufferIndex; null for the buffers of the caller, and if no kernel uses the index.
using CceWorkspace = std::array<std::shared_ptr<Buffer>, cce::loss_index + 1>;

/// Errors: limit, for extents whose rows the kernels cannot count, or whose bytes do not fit in 64 bits.
Result<void> check_cce_extents(std::uint64_t N, std::uint64_t H, std::uint64_t V);

/// The bytes of all buffers, also of the caller, whose length does not depend on the chunk.
std::uint64_t cce_fixed_bytes(const CceStatement& statement);

/// Allocates the buffers and copies the tables. Errors: those of Device::new_buffer, with the buffer's name and bytes.
Result<CceWorkspace> cce_workspace(Device& device, const CceStatement& statement, const CceTables& tables);

}  // namespace assay::metal::host
