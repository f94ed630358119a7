// The project's SVD in Metal: its own host code and .metal file, on the emulator with every check on or on a GPU.
#pragma once

#include <memory>

#include "metal/host/svd/svd.h"
#include "validation/core/kernel_device.h"
#include "validation/svd/kernel.h"

namespace assay::validation {

/// With a planted fault, only float32 is compiled.
std::shared_ptr<const SvdKernel> metal_svd_kernel(OnDevice<metal::SvdOptions> on);

}  // namespace assay::validation
