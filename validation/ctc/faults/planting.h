// How a fault is planted: a class derived from PlainCtcKernel that overrides a step and carries a note of its own.
#pragma once

#include <vector>

#include "validation/ctc/faults/faults.h"
#include "validation/ctc/faults/plain_kernel.h"

namespace assay::validation {

template <class... Kernels>
std::vector<CtcFault> plant_all() {
  return {plant<CtcOperation, Kernels>(plain_ctc_kernel())...};
}

// One file each.
std::vector<CtcFault> recursion_faults();
std::vector<CtcFault> length_faults();
std::vector<CtcFault> gradient_faults();
std::vector<CtcFault> option_faults();
std::vector<CtcFault> numeric_faults();
std::vector<CtcFault> memory_faults();
std::vector<CtcFault> contract_faults();
std::vector<CtcFault> metal_faults();

}  // namespace assay::validation
