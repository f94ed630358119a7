#include "validation/ctc/properties/properties.h"

namespace assay::validation {

const std::vector<CtcProperty>& ctc_properties() {
  using namespace properties;
  static const std::vector<CtcProperty> all = {
      outside(),       inside(),     repeat(),     threads(),    two_shapes(),  loss_only(),        layout(),
      padding(),       refusals(),   impossible(), empty(),      nonnegative(), zero_past_length(), row_independence(),
      batch_singles(), reductions(), linearity(),  frame_sums(), shift(),       permutation(),      input_kinds(),
      two_step(),      loss(),       gradient(),
  };
  return all;
}

}  // namespace assay::validation
