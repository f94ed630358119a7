// The loss agrees with the any-precision reference within its derived bound.
#include "validation/ctc/compare.h"
#include "validation/ctc/properties/properties.h"

namespace assay::validation::properties {
namespace {

Finding check(const CtcContext& context, const CtcCase& c) {
  const auto truth = context.truth_of(c);
  const CtcBounds bounds(c, context.kernel.info());
  const CtcRun run = run_valid(context.kernel, c, {.without = {"gradient"}});
  Comparison comparison;
  for (std::size_t i = 0; i < run.loss.size(); ++i) {
    comparison.near({"loss", -1, static_cast<std::int64_t>(i)}, run.loss[i], truth->loss[i], bounds.loss(i));
  }
  return comparison.finding();
}

}  // namespace

CtcProperty loss() {
  return {"loss", "each loss within its derived bound", {}, check, true};
}

}  // namespace assay::validation::properties
