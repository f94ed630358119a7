// The project's CTC in Metal: its own host code and .metal file, on the emulator with every check on or on a
// GPU. A report of a check is an error of the kernel, whatever the numbers.
#pragma once

#include <memory>

#include "metal/host/ctc/ctc.h"
#include "validation/core/kernel_device.h"
#include "validation/ctc/kernel.h"

namespace assay::validation {

std::shared_ptr<const CtcKernel> metal_ctc_kernel(OnDevice<metal::CtcOptions> on);

}  // namespace assay::validation
