// This project's own CTC kernels, as the gate judges them.
#pragma once

#include <memory>
#include <string>

#include "validation/ctc/kernel.h"

namespace assay::validation {

/// "cpu" (metal/cpu), "metal-emulated" and "metal-plain" (metal/kernels on the emulator: the production path and the
/// plain one); null for another name.
std::shared_ptr<const CtcKernel> shipped_ctc_kernel(const std::string& name);

}  // namespace assay::validation
