// Every element of the gradient agrees with the any-precision reference within its derived bound.
#include "validation/ctc/compare.h"
#include "validation/ctc/properties/parts.h"
#include "validation/ctc/properties/properties.h"

namespace assay::validation::properties {
namespace {

Finding check_gradient(const CtcContext& context, const CtcCase& c) {
  Comparison comparison(widest_share(context.kernel.info().largest_rounding()));
  in_parts(context, c, run_valid(context.kernel, c), [&](const CtcPart& part) {
    compare_gradient(comparison, part.problem, part.bounds, part.run, part.truth, part.first);
  });
  return comparison.finding();
}

}  // namespace

CtcProperty gradient() {
  return {"gradient", "each gradient element within its derived bound", {}, check_gradient, true};
}

}  // namespace assay::validation::properties
