#include "validation/ctc/faults/faults.h"

#include "validation/core/history_faults.h"
#include "validation/ctc/faults/plain_kernel.h"

namespace assay::validation {

std::shared_ptr<const CtcFloatKernel> plain_ctc_kernel() {
  static const auto kernel = std::make_shared<const PlainCtcKernel>();
  return kernel;
}

const std::vector<CtcFault>& CtcOperation::faults() {
  static const std::vector<CtcFault> faults = joined_faults<CtcOperation>(
      {recursion_faults, block_faults, length_faults, gradient_faults, option_faults, numeric_faults, half_type_faults,
       memory_faults, contract_faults, metal_faults, reach_faults,
       [] { return history_faults_of<CtcOperation>("loss"); }, rounding_faults});
  return faults;
}

}  // namespace assay::validation
