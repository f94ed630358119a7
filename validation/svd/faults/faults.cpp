#include "validation/svd/faults/faults.h"

#include <iterator>

#include "validation/svd/faults/plain_kernel.h"
#include "validation/svd/faults/planting.h"

namespace assay::validation {

std::shared_ptr<const SvdKernel> plain_svd_kernel() {
  static const auto kernel = std::make_shared<const PlainSvdKernel>();
  return kernel;
}

const std::vector<SvdFault>& svd_faults() {
  static const std::vector<SvdFault> faults = [] {
    std::vector<SvdFault> all;
    for (auto theme : {svd::rotation_faults, svd::factor_faults, svd::memory_faults, svd::contract_faults,
                       svd::gradient_faults, svd::randomized_faults, svd::metal_faults}) {
      std::vector<SvdFault> planted = theme();
      all.insert(all.end(), std::make_move_iterator(planted.begin()), std::make_move_iterator(planted.end()));
    }
    return all;
  }();
  return faults;
}

}  // namespace assay::validation
