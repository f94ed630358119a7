// Equal inputs give equal bits.
#include "validation/ctc/compare.h"
#include "validation/ctc/properties/properties.h"

namespace assay::validation::properties {
namespace {

Finding check(const CtcContext& context, const CtcCase& c) {
  const CtcRun first = run_valid(context.kernel, c);
  return same_bits(c, first, run_valid(context.kernel, c), "a second run of the same problem gives other bits");
}

}  // namespace

CtcProperty repeat() {
  return {"repeat", "the same problem twice gives the same bits", {}, check};
}

}  // namespace assay::validation::properties
