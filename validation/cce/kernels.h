// This project's own linear cross-entropy kernels, as the gate judges them.
#pragma once

#include <memory>
#include <string>

#include "validation/cce/kernel.h"

namespace assay::validation {

/// "cpu" (metal/cpu), "metal-emulated" and "metal-plain" (metal/kernels on the emulator: the production path and the
/// plain one); null for another name.
std::shared_ptr<const CceKernel> shipped_cce_kernel(const std::string& name);

}  // namespace assay::validation
