// A second verdict beside the worst case: a kernel that says that its rounding errors are of mean 0 has errors that
// grow like the root of the number of frames, and is held to that. A missing frame or a rounding that always goes one
// way hides in the worst case of thousands of frames, but not in a random walk (docs/bounds.md).
#include "validation/ctc/compare.h"
#include "validation/ctc/properties/parts.h"
#include "validation/ctc/properties/properties.h"

namespace assay::validation::properties {
namespace {

Finding check_random_rounding(const CtcContext& context, const CtcCase& c) {
  if (!context.kernel.info().random_rounding) return Finding::not_claimed("declare random_rounding");
  Comparison comparison;
  const auto compare = [&](const CtcPart& part) {
    compare_losses(comparison, part.bounds, part.run, part.truth, part.first);
    compare_gradient(comparison, part.problem, part.bounds, part.run, part.truth, part.first);
  };
  in_parts(context, c, run_valid(context.kernel, c), compare, Rounding::random);
  return comparison.finding();
}

}  // namespace

CtcProperty random_rounding() {
  return {"random-rounding", "errors of mean 0: bounds like sqrt(T), if declared", {}, check_random_rounding, true};
}

}  // namespace assay::validation::properties
