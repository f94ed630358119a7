// Padded and concatenated targets are two ways to write one problem.
#include "validation/ctc/compare.h"
#include "validation/ctc/properties/properties.h"

namespace assay::validation::properties {
namespace {

CtcCase with_layout(const CtcCase& c, CtcTargets layout) {
  std::vector<std::vector<std::int64_t>> rows;
  for (std::int64_t b = 0; b < c.B; ++b) rows.push_back(c.labels(b));
  CtcCase d = c;
  d.layout = layout;
  set_targets(d, rows);
  return d;
}

Finding check_layout(const CtcContext& context, const CtcCase& c) {
  expect_same_bits(context.kernel.info().support);
  const CtcRun padded = run_valid(context.kernel, with_layout(c, CtcTargets::padded));
  const CtcRun concatenated = run_valid(context.kernel, with_layout(c, CtcTargets::concatenated));
  return same_bits(c, padded, concatenated, "padded and concatenated targets give other bits");
}

}  // namespace

CtcProperty layout() {
  return {"layout", "padded, concatenated targets: the same bits", {.min_rows = 2}, check_layout};
}

}  // namespace assay::validation::properties
