#include "validation/core/properties.h"

#include "validation/core/strides.h"
#include "validation/svd/properties/properties.h"

namespace assay::validation {

const std::vector<SvdProperty>& SvdOperation::properties() {
  using namespace svd;
  using O = SvdOperation;
  static const std::vector<SvdProperty> all = {
      outside<O>(),
      inside<O>(),
      repeat<O>(),
      threads<O>("1 to 64 threads give the same bits", {.max_batch = 20}),
      two_shapes(),
      history<O>(),
      strides<O>({order(), orthonormal_u(), orthonormal_v(), reconstruction(), values()}),
      batch(),
      batch_singles(),
      values_only(),
      refusals(),
      specials(),
      empty(),
      far_matrices(),
      order(),
      orthonormal_u(),
      orthonormal_v(),
      reconstruction(),
      null_space(),
      signs(),
      scaling(),
      transposition(),
      invariance(),
      permutation(),
      values(),
      graded(),
      randomized(),
      gradient(),
      gradient_ties(),
  };
  return all;
}

}  // namespace assay::validation
