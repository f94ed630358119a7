// How a fault is planted: a class derived from PlainCceKernel that overrides a step and carries a note of its own.
#pragma once

#include <vector>

#include "validation/cce/faults/faults.h"
#include "validation/cce/faults/plain_kernel.h"

namespace assay::validation {

template <class... Kernels>
std::vector<CceFault> plant_all_cce() {
  return {plant<CceOperation, Kernels>(plain_cce_kernel())...};
}

namespace cce {

// One file each.
std::vector<CceFault> softmax_faults();
std::vector<CceFault> gradient_faults();
std::vector<CceFault> option_faults();
std::vector<CceFault> memory_faults();
std::vector<CceFault> contract_faults();
std::vector<CceFault> metal_faults();

}  // namespace cce

}  // namespace assay::validation
