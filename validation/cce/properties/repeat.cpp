// Equal inputs give equal bits.
#include "validation/cce/compare.h"
#include "validation/cce/properties/properties.h"

namespace assay::validation::cce {
namespace {

Finding check(const CceContext& context, const CceCase& c) {
  const CceRun first = run_valid(context.kernel, c);
  return same_bits(c, first, run_valid(context.kernel, c), "a second run of the same problem gives other bits");
}

}  // namespace

CceProperty repeat() {
  return {"repeat", "the same problem twice gives the same bits", {}, check};
}

}  // namespace assay::validation::cce
