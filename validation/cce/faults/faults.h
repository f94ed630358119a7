// Planted faults: linear cross-entropy kernels that are wrong in one step each, as published kernels have been.
//
// Each is the plain kernel (plain_kernel.h) with one step replaced by a mistake that somebody once shipped or nearly
// shipped, or the project's Metal shader with one place of its text changed (metal.cpp).
#pragma once

#include <memory>
#include <vector>

#include "validation/cce/kernel.h"
#include "validation/cce/operation.h"

namespace assay::validation {

/// The kernel without a fault: double inside, correct in every option. Called "plain".
std::shared_ptr<const CceKernel> plain_cce_kernel();

namespace cce {

// The faults by theme, one file each.
std::vector<CceFault> softmax_faults();
std::vector<CceFault> gradient_faults();
std::vector<CceFault> option_faults();
std::vector<CceFault> memory_faults();
std::vector<CceFault> contract_faults();
std::vector<CceFault> metal_faults();
std::vector<CceFault> reach_faults();

}  // namespace cce

}  // namespace assay::validation
