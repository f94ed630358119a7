// Planted faults: CTC kernels that are wrong in one step each, as published kernels have been, for testing the gate.
//
// Each kernel here is the plain kernel (plain_kernel.h) with one step replaced by a mistake that somebody once shipped
// or nearly shipped, or the project's Metal shader with one place of its text changed (metal.cpp).
#pragma once

#include <memory>
#include <vector>

#include "validation/ctc/operation.h"

namespace assay::validation {

/// The kernel without a fault: log space, double inside, float32 out, correct in every option. Called "plain".
std::shared_ptr<const CtcFloatKernel> plain_ctc_kernel();

// The faults by theme, one file each.
std::vector<CtcFault> recursion_faults();
std::vector<CtcFault> block_faults();
std::vector<CtcFault> length_faults();
std::vector<CtcFault> gradient_faults();
std::vector<CtcFault> option_faults();
std::vector<CtcFault> numeric_faults();
std::vector<CtcFault> half_type_faults();
std::vector<CtcFault> memory_faults();
std::vector<CtcFault> contract_faults();
std::vector<CtcFault> metal_faults();
std::vector<CtcFault> reach_faults();
std::vector<CtcFault> rounding_faults();

}  // namespace assay::validation
