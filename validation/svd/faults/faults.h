// Planted faults: SVD kernels that are wrong in one step each, as published kernels have been.
//
// Each is the plain one (plain_kernel.h) with one step replaced by what somebody once shipped, or nearly did, or the
// project's Metal shader with one place of its text changed (metal.cpp).
#pragma once

#include <memory>
#include <vector>

#include "validation/svd/kernel.h"
#include "validation/svd/operation.h"

namespace assay::validation {

/// The kernel without a fault: double inside, correct in every option. Called "plain".
std::shared_ptr<const SvdKernel> plain_svd_kernel();

/// All planted faults, in a fixed order. They are made once, so a kernel whose fault is the state that it keeps between
/// calls keeps it for the life of the program. That state is locked or atomic: any kernel may run on several threads.
const std::vector<SvdFault>& svd_faults();

}  // namespace assay::validation
