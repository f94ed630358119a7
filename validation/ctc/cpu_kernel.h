// The project's CTC for CPUs, as the gate judges it.
#pragma once

#include <memory>

#include "validation/ctc/kernel.h"

namespace assay::validation {

std::shared_ptr<const CtcKernel> cpu_ctc_kernel();

}  // namespace assay::validation
