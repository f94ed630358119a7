#include "validation/svd/properties/properties.h"

namespace assay::validation {

const std::vector<SvdProperty>& svd_properties() {
  using namespace svd;
  static const std::vector<SvdProperty> all = {
      outside(),        inside(),     repeat(), threads(),    batch_singles(), values_only(),
      refusals(),       specials(),   empty(),  order(),      orthonormal_u(), orthonormal_v(),
      reconstruction(), null_space(), signs(),  scaling(),    transposition(), invariance(),
      permutation(),    values(),     graded(), randomized(), gradient(),      gradient_ties(),
  };
  return all;
}

}  // namespace assay::validation
