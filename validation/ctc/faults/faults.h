// Planted faults: CTC kernels that are wrong in one step each, as published kernels have been, for testing the gate.
//
// A gate is worth what it catches. Each kernel here is the plain one (plain_kernel.h) with one step replaced by what
// somebody once shipped, or nearly did, or the project's Metal shader with one place of its text changed (metal.cpp); a
// gate that passes any of them is itself faulty.
#pragma once

#include <memory>
#include <vector>

#include "validation/ctc/operation.h"

namespace assay::validation {

/// The kernel without a fault: log space, double inside, float32 out, correct in every option. Called "plain".
std::shared_ptr<const CtcKernel> plain_ctc_kernel();

/// All planted faults, in a fixed order. They are made once, so a kernel whose fault is the state that it keeps between
/// calls keeps it for the life of the program. That state is locked or atomic: any kernel may run on several threads.
const std::vector<CtcFault>& ctc_faults();

}  // namespace assay::validation
