#include "validation/ctc/faults/faults.h"

#include <iterator>

#include "validation/ctc/faults/plain_kernel.h"
#include "validation/ctc/faults/planting.h"

namespace assay::validation {

std::shared_ptr<const CtcKernel> plain_ctc_kernel() {
  static const auto kernel = std::make_shared<const PlainCtcKernel>();
  return kernel;
}

const std::vector<CtcFault>& ctc_faults() {
  static const std::vector<CtcFault> faults = [] {
    std::vector<CtcFault> all;
    for (auto theme : {recursion_faults, length_faults, gradient_faults, option_faults, numeric_faults, memory_faults,
                       contract_faults, metal_faults}) {
      std::vector<CtcFault> planted = theme();
      all.insert(all.end(), std::make_move_iterator(planted.begin()), std::make_move_iterator(planted.end()));
    }
    return all;
  }();
  return faults;
}

}  // namespace assay::validation
