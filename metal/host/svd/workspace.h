// The buffers of the singular value decomposition on a device, and for how many matrices at a time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "metal/device/device.h"
#include "metal/host/svd/statement.h"

namespace assay::metal::host {

/// By svd::BufferIndex; null where no kernel takes one.
using SvdWorkspace = std::array<std::shared_ptr<Buffer>, svd::right_index + 1>;

/// Bytes of one matrix: of all buffers together, and of the largest.
struct SvdMatrixBytes {
  std::uint64_t all = 0, largest = 0;
};

SvdMatrixBytes svd_matrix_bytes(const SvdStatement& statement);

/// Matrices at a time, at least 1 and at most B: as many as fit into `workspace_bytes` (0: a quarter of what the device
/// recommends) with no buffer longer than the device allows. What a device does not tell is no bound.
std::uint64_t svd_chunk(const Limits& limits, const SvdStatement& statement, std::uint64_t workspace_bytes);

/// Allocates for `count` matrices, and copies them. Errors: those of Device::new_buffer, with the buffer's name and
/// bytes.
Result<SvdWorkspace> svd_workspace(Device& device, const SvdStatement& statement, std::uint64_t count,
                                   std::span<const std::byte> matrices);

}  // namespace assay::metal::host
