// Without tokens, or with ignored tokens only, every loss and every gradient is 0, with the reduction mean too.
#include <limits>

#include "validation/cce/compare.h"
#include "validation/cce/properties/properties.h"

namespace assay::validation::cce {
namespace {

void expect_zeros(Comparison& comparison, const CceCase& c, const CceRun& run) {
  for (std::size_t i = 0; i < run.loss.size(); ++i) comparison.near(loss_place(i), run.loss[i], 0.0, 0);
  for (std::size_t i = 0; i < run.dhidden.size(); ++i) comparison.near(dhidden_place(c, i), run.dhidden[i], 0.0, 0);
  for (std::size_t i = 0; i < run.dweight.size(); ++i) comparison.near(dweight_place(c, i), run.dweight[i], 0.0, 0);
  for (std::size_t v = 0; v < run.dbias.size(); ++v) comparison.near(dbias_place(v), run.dbias[v], 0.0, 0);
}

CceCase all_ignored(CceCase c) {
  c.targets.assign(c.targets.size(), c.ignore_index);
  c.hidden.assign(c.hidden.size(), std::numeric_limits<float>::quiet_NaN());
  return c;
}

Finding check_empty(const CceContext& context, const CceCase& c) {
  Comparison comparison;
  for (const CceCase& none : {select_tokens(c, {}), all_ignored(c)})
    for (const bool in_halves : {false, true})
      expect_zeros(comparison, none, run_valid(context.kernel, none, {.request = {.in_halves = in_halves}}));
  return comparison.finding();
}

}  // namespace

CceProperty empty() {
  return {"empty", "no tokens, or none that counts: all zeros", {}, check_empty};
}

}  // namespace assay::validation::cce
