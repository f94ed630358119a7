// The project's linear cross-entropy in Metal: its own host code and .metal file, on the emulator with every check on
// or on a GPU.
#pragma once

#include <memory>

#include "metal/host/cce/cce.h"
#include "validation/cce/kernel.h"
#include "validation/core/kernel_device.h"

namespace assay::validation {

std::shared_ptr<const CceKernel> metal_cce_kernel(OnDevice<metal::CceOptions> on);

}  // namespace assay::validation
