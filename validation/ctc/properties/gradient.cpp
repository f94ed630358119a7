// Every element of the gradient agrees with the any-precision reference within its derived bound.
#include "validation/ctc/compare.h"
#include "validation/ctc/properties/properties.h"

namespace assay::validation::properties {
namespace {

Finding check(const CtcContext& context, const CtcCase& c) {
  const auto truth = context.truth_of(c);
  const CtcBounds bounds(c, context.kernel.info());
  const CtcRun run = run_valid(context.kernel, c);
  Comparison comparison;
  compare_gradient(comparison, c, bounds, run, *truth);
  return comparison.finding();
}

}  // namespace

CtcProperty gradient() {
  return {"gradient", "each gradient element within its derived bound", {}, check, true};
}

}  // namespace assay::validation::properties
