// The buffers of the singular value decomposition on a device, and how many matrices are computed at a time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "metal/device/device.h"
#include "metal/host/svd/statement.h"

namespace assay::metal::host {

/// By svd::BufferIndex; null for the buffers of the caller, and if no kernel uses the index.
using SvdWorkspace = std::array<std::shared_ptr<Buffer>, svd::rotated_index + 1>;

/// The bytes of each buffer for one matrix.
struct SvdLengths {
  std::uint64_t matrix, work, rotations, columns, rotated, left, right;
};

SvdLengths svd_lengths(const SvdStatement& statement);

/// The bytes for one matrix: in all buffers together, and in the largest buffer.
struct SvdMatrixBytes {
  std::uint64_t all = 0, largest = 0;
};

SvdMatrixBytes svd_matrix_bytes(const SvdStatement& statement);

/// The number of matrices at a time, in [1, B]: as many as fit in `workspace_bytes` (0: a quarter of the working set
/// that the device recommends) if no buffer is longer than the device allows, and no sweep or step takes more than
/// statement.max_work. A limit that the device does not state is
/// no limit.
std::uint64_t svd_chunk(const Limits& limits, const SvdStatement& statement, std::uint64_t workspace_bytes);

/// Allocates the buffers of `count` matrices. Errors: those of Device::new_buffer, with the buffer's name and bytes.
Result<SvdWorkspace> svd_workspace(Device& device, const SvdStatement& statement, std::uint64_t count);

}  // namespace assay::metal::host
