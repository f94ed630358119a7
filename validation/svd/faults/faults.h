// Planted faults: SVD kernels that are wrong in one step each, as published kernels have been.
//
// Each is the plain kernel (plain_kernel.h) with one step replaced by a mistake that somebody once shipped or nearly
// shipped, or the project's Metal shader with one place of its text changed (metal.cpp).
#pragma once

#include <memory>
#include <vector>

#include "validation/svd/kernel.h"
#include "validation/svd/operation.h"

namespace assay::validation {

/// The kernel without a fault: double inside, correct in every option. Called "plain".
std::shared_ptr<const SvdKernel> plain_svd_kernel();

namespace svd {

// The faults by theme, one file each.
std::vector<SvdFault> rotation_faults();
std::vector<SvdFault> factor_faults();
std::vector<SvdFault> memory_faults();
std::vector<SvdFault> contract_faults();
std::vector<SvdFault> gradient_faults();
std::vector<SvdFault> randomized_faults();
std::vector<SvdFault> metal_faults();
std::vector<SvdFault> reach_faults();

}  // namespace svd

}  // namespace assay::validation
