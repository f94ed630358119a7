// The loss agrees with the any-precision reference within its derived bound.
#include "validation/cce/compare.h"
#include "validation/cce/properties/properties.h"

namespace assay::validation::cce {
namespace {

Finding check(const CceContext& context, const CceCase& c) {
  const auto truth = context.truth_of(c);
  const CceBounds bounds(c, context.kernel.info());
  const CceRun run = run_valid(context.kernel, c, {.without = {"dhidden", "dweight", "dbias"}});
  Comparison comparison;
  for (std::size_t i = 0; i < run.loss.size(); ++i)
    comparison.near(loss_place(i), run.loss[i], truth->loss[i], bounds.loss(i));
  return comparison.finding();
}

}  // namespace

CceProperty loss() {
  return {"loss", "each loss within its derived bound", {}, check, true};
}

}  // namespace assay::validation::cce
