// Every element of the gradient agrees with the any-precision reference within its derived bound.
#include "validation/ctc/compare.h"
#include "validation/ctc/properties/properties.h"

namespace assay::validation::properties {
namespace {

Finding check_gradient(const CtcContext& context, const CtcCase& c) {
  Comparison comparison;
  in_parts(c, run_valid(context.kernel, c), [&](std::int64_t first, const CtcCase& part, const CtcRun& run) {
    const CtcBounds bounds(part, context.kernel.info());
    compare_gradient(comparison, part, bounds, run, *context.truth_of(part), first);
  });
  return comparison.finding();
}

}  // namespace

CtcProperty gradient() {
  return {"gradient", "each gradient element within its derived bound", {}, check_gradient, true};
}

}  // namespace assay::validation::properties
