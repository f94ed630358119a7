#include "validation/cce/properties/properties.h"

namespace assay::validation {

const std::vector<CceProperty>& cce_properties() {
  using namespace cce;
  static const std::vector<CceProperty> all = {
      outside(),     inside(),  repeat(),  threads(),     outputs(),       chunks(),      halves(),
      refusals(),    empty(),   ignored(), nonnegative(), batch_singles(), duplicates(),  independence(),
      permutation(), padding(), shift(),   linearity(),   reductions(),    softcap_off(), word_sums(),
      images(),      loss(),    dhidden(), dweight(),     dbias(),         softcap(),
  };
  return all;
}

}  // namespace assay::validation
