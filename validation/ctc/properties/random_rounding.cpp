// A second verdict beside the worst case: a kernel that says that its rounding errors are of mean 0 has errors that
// grow like the root of the number of frames, and is held to that. A missing frame or a rounding that always goes one
// way hides in the worst case of thousands of frames, but not in a random walk (docs/bounds.md).
#include "validation/ctc/compare.h"
#include "validation/ctc/properties/properties.h"

namespace assay::validation::properties {
namespace {

Finding check_random_rounding(const CtcContext& context, const CtcCase& c) {
  if (!context.kernel.info().random_rounding) return Finding::skip("the kernel does not declare random_rounding");
  Comparison comparison;
  in_parts(c, run_valid(context.kernel, c), [&](std::int64_t first, const CtcCase& part, const CtcRun& run) {
    const auto truth = context.truth_of(part);
    const CtcBounds bounds(part, context.kernel.info(), Rounding::random);
    for (std::size_t i = 0; i < run.loss.size(); ++i)
      comparison.near({"loss", -1, first + static_cast<std::int64_t>(i)}, run.loss[i], truth->loss[i], bounds.loss(i));
    compare_gradient(comparison, part, bounds, run, *truth, first);
  });
  return comparison.finding();
}

}  // namespace

CtcProperty random_rounding() {
  return {"random-rounding", "errors of mean 0: bounds like sqrt(T), if declared", {}, check_random_rounding, true};
}

}  // namespace assay::validation::properties
