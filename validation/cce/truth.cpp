#include "validation/cce/truth.h"

namespace assay::validation {
namespace {

CceTruth compute(const CceCase& c, int digits) {
  const reference::PrecisionScope scope(digits);
  return reference::cce_outcome<reference::BigFloat>(c.view());
}

}  // namespace

void require_agreement(const CceTruth& low, const CceTruth& high, int digits) {
  require_same(low.loss, high.loss, digits, "loss");
  require_same(low.dhidden, high.dhidden, digits, "dhidden");
  require_same(low.dweight, high.dweight, digits, "dweight");
  require_same(low.dbias, high.dbias, digits, "dbias");
}

CceTruth truth_of(const CceCase& c, int digits) {
  const CceTruth low = compute(c, digits);
  CceTruth high = compute(c, digits + extra_digits);
  require_agreement(low, high, digits);
  return high;
}

}  // namespace assay::validation
