// The buffers of the singular value decomposition on a device, and how many matrices are computed at a time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "metal/device/device.h"
#include "metal/host/svd/statement.h"

namespace assay::metal::host {

/// By svd::BufferIndex; null if no kernel uses the index.
using SvdWorkspace = std::array<std::shared_ptr<Buffer>, svd::right_index + 1>;

/// The bytes for one matrix: in all buffers together, and in the largest buffer.
struct SvdMatrixBytes {
  std::uint64_t all = 0, largest = 0;
};

SvdMatrixBytes svd_matrix_bytes(const SvdStatement& statement);

/// The number of matrices at a time, in [1, B]: as many as fit in `workspace_bytes` (0: a quarter of the working set
/// that the device recommends) if no buffer is longer than the device allows. A limit that the device does not state is
/// no limit.
std::uint64_t svd_chunk(const Limits& limits, const SvdStatement& statement, std::uint64_t workspace_bytes);

/// Allocates the buffers of `count` matrices, and copies the matrices. Errors: those of Device::new_buffer, with the
/// buffer's name and bytes.
Result<SvdWorkspace> svd_workspace(Device& device, const SvdStatement& statement, std::uint64_t count,
                                   std::span<const std::byte> matrices);

}  // namespace assay::metal::host
