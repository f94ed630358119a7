#include "validation/core/properties.h"

#include "validation/core/strides.h"
#include "validation/ctc/properties/properties.h"

namespace assay::validation {

const std::vector<CtcProperty>& CtcOperation::properties() {
  using namespace properties;
  using O = CtcOperation;
  static const std::vector<CtcProperty> all = {
      outside<O>(),
      inside<O>(),
      repeat<O>(),
      threads<O>("1 to 64 threads give the same bits", {.min_rows = 2}),
      two_shapes(),
      history<O>(),
      outputs<O>("loss-only", "the loss without the gradient has the same bits",
                 "another loss when no gradient is asked for"),
      strides<O>({loss(), gradient()}),
      layout(),
      padding(),
      refusals(),
      impossible(),
      empty(),
      one_path(),
      nonnegative(),
      zero_past_length(),
      row_independence(),
      batch(),
      batch_singles(),
      far_rows(),
      reductions(),
      linearity(),
      frame_sums(),
      shift(),
      permutation(),
      input_kinds(),
      two_step(),
      loss(),
      gradient(),
      random_rounding(),
  };
  return all;
}

}  // namespace assay::validation
