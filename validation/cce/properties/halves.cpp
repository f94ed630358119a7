// Forward, and then backward from the state that forward left, give the same as both at once.
#include "validation/cce/compare.h"
#include "validation/cce/properties/properties.h"

namespace assay::validation::cce {
namespace {

Finding check_halves(const CceContext& context, const CceCase& c) {
  CceRunComparison comparison(c, context.kernel.info());
  comparison.all(run_valid(context.kernel, c, {.request = {.in_halves = true}}), run_valid(context.kernel, c));
  return comparison.finding();
}

}  // namespace

CceProperty halves() {
  return {"halves", "forward, then backward, is both at once", {}, check_halves};
}

}  // namespace assay::validation::cce
