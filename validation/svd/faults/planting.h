// How a fault is planted: a class derived from PlainSvdKernel that overrides a step and carries a note of its own.
#pragma once

#include <vector>

#include "validation/svd/faults/faults.h"
#include "validation/svd/faults/plain_kernel.h"

namespace assay::validation {

template <class... Kernels>
std::vector<SvdFault> plant_all_svd() {
  return {plant<SvdOperation, Kernels>(plain_svd_kernel())...};
}

namespace svd {

// One file each.
std::vector<SvdFault> rotation_faults();
std::vector<SvdFault> factor_faults();
std::vector<SvdFault> memory_faults();
std::vector<SvdFault> contract_faults();
std::vector<SvdFault> gradient_faults();
std::vector<SvdFault> randomized_faults();
std::vector<SvdFault> metal_faults();

}  // namespace svd

}  // namespace assay::validation
