#include "validation/cce/faults/faults.h"

#include <iterator>

#include "validation/cce/faults/plain_kernel.h"
#include "validation/cce/faults/planting.h"

namespace assay::validation {

std::shared_ptr<const CceKernel> plain_cce_kernel() {
  static const auto kernel = std::make_shared<const PlainCceKernel>();
  return kernel;
}

const std::vector<CceFault>& cce_faults() {
  static const std::vector<CceFault> faults = [] {
    std::vector<CceFault> all;
    for (auto theme : {cce::softmax_faults, cce::gradient_faults, cce::option_faults, cce::memory_faults,
                       cce::contract_faults, cce::metal_faults}) {
      std::vector<CceFault> planted = theme();
      all.insert(all.end(), std::make_move_iterator(planted.begin()), std::make_move_iterator(planted.end()));
    }
    return all;
  }();
  return faults;
}

}  // namespace assay::validation
