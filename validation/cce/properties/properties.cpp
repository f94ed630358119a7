#include "validation/core/properties.h"

#include "validation/cce/properties/properties.h"
#include "validation/core/strides.h"

namespace assay::validation {

const std::vector<CceProperty>& CceOperation::properties() {
  using namespace cce;
  using O = CceOperation;
  static const std::vector<CceProperty> all = {
      outside<O>(),
      inside<O>(),
      repeat<O>(),
      threads<O>("1 to 64 threads give the same results", {.many_tokens = 0.3}),
      two_shapes(),
      history<O>(),
      outputs<O>("outputs", "each gradient alone is the one among all", "other bits when less is asked for"),
      strides<O>({loss(), dhidden(), dweight(), dbias()}),
      chunks(),
      halves(),
      refusals(),
      empty(),
      ignored(),
      nonnegative(),
      batch(),
      batch_singles(),
      far_tokens(),
      far_entries(),
      duplicates(),
      independence(),
      permutation(),
      padding(),
      shift(),
      linearity(),
      reductions(),
      softcap_off(),
      word_sums(),
      images(),
      loss(),
      dhidden(),
      dweight(),
      dbias(),
      softcap(),
  };
  return all;
}

}  // namespace assay::validation
