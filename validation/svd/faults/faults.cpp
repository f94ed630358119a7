#include "validation/svd/faults/faults.h"

#include "validation/core/history_faults.h"
#include "validation/svd/faults/plain_kernel.h"

namespace assay::validation {

std::shared_ptr<const SvdKernel> plain_svd_kernel() {
  static const auto kernel = std::make_shared<const PlainSvdKernel>();
  return kernel;
}

const std::vector<SvdFault>& SvdOperation::faults() {
  static const std::vector<SvdFault> faults =
      joined_faults<SvdOperation>({svd::rotation_faults, svd::factor_faults, svd::memory_faults, svd::contract_faults,
                                   svd::gradient_faults, svd::randomized_faults, svd::metal_faults, svd::reach_faults,
                                   [] { return history_faults_of<SvdOperation>("S"); }});
  return faults;
}

}  // namespace assay::validation
