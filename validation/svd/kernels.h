// The SVD kernels that the gate knows by name.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "validation/svd/kernel.h"

namespace assay::validation {

/// "cpu" (metal/cpu), "metal-emulated" and "metal-plain" (metal/kernels on the emulator, the production path and the
/// plain one), "plain" and every "fault:..." (faults/).
/// Throws std::invalid_argument listing the names for one that is unknown.
std::shared_ptr<const SvdKernel> svd_kernel(const std::string& name);

/// The kernels that a gate run judges unless one is named: those that are meant to be used.
std::vector<std::string> shipped_svd_kernels();

}  // namespace assay::validation
