// Equal inputs give equal bits.
#include "validation/svd/compare.h"
#include "validation/svd/properties/properties.h"

namespace assay::validation::svd {
namespace {

Finding check(const SvdContext& context, const SvdCase& c) {
  const SvdRun first = run_valid(context.kernel, c);
  return same_bits(c, first, run_valid(context.kernel, c), "a second run of the same problem gives other bits");
}

}  // namespace

SvdProperty repeat() {
  return {"repeat", "the same problem twice gives the same bits", {}, check};
}

}  // namespace assay::validation::svd
