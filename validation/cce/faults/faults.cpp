#include "validation/cce/faults/faults.h"

#include "validation/cce/faults/plain_kernel.h"
#include "validation/core/history_faults.h"

namespace assay::validation {

std::shared_ptr<const CceKernel> plain_cce_kernel() {
  static const auto kernel = std::make_shared<const PlainCceKernel>();
  return kernel;
}

const std::vector<CceFault>& CceOperation::faults() {
  static const std::vector<CceFault> faults = joined_faults<CceOperation>(
      {cce::softmax_faults, cce::gradient_faults, cce::option_faults, cce::memory_faults, cce::contract_faults,
       cce::metal_faults, cce::reach_faults, [] { return history_faults_of<CceOperation>("loss"); }});
  return faults;
}

}  // namespace assay::validation
