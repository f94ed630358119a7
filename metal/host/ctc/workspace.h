// The buffers of a CTC plan: the tables of its rows, and intermediate results.
#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "metal/device/device.h"
#include "metal/host/ctc/chunks.h"
#include "metal/host/ctc/rows.h"
#include "metal/host/ctc/statement.h"

namespace assay::metal::host {

/// By ctc::BufferIndex; null for the buffers of the caller, and if no kernel uses the index.
using CtcWorkspace = std::array<std::shared_ptr<Buffer>, ctc::result_index + 1>;

/// Errors: those of Device::new_buffer, with the buffer's name and bytes.
Result<CtcWorkspace> ctc_workspace(Device& device, const CtcStatement& statement, const CtcRows& tables,
                                   const CtcSpace& space);

}  // namespace assay::metal::host
