// The loss agrees with the any-precision reference within its derived bound.
#include <cmath>

#include "validation/ctc/compare.h"
#include "validation/ctc/properties/parts.h"
#include "validation/ctc/properties/properties.h"

namespace assay::validation::properties {
namespace {

/// Marks the classes of which the loss notices the term in the softmax: without class k the sum is 1 - y_t(k) of what
/// it is, and with it twice 1 + y_t(k), which changes the loss of a path through other classes by the logarithm.
void notice_classes(Comparison& comparison, const CtcCase& c, const CtcBounds& bounds, const CtcTruth& truth) {
  if (c.reduction != Reduction::none || c.input != CtcInput::logits) return;
  for (std::size_t b = 0; b < truth.rows.size(); ++b)
    for (std::int64_t t = 0; truth.rows[b].possible && t < truth.rows[b].y.rows(); ++t)
      for (std::int64_t k = 0; k < c.C; ++k)
        comparison.would_notice('k', k, std::log1p(truth.rows[b].y(t, k)), bounds.loss(b));
}

Finding check_loss(const CtcContext& context, const CtcCase& c) {
  const CtcRun whole = run_valid(context.kernel, c, {.without = {"gradient"}});
  Comparison comparison(widest_share(context.kernel.info().largest_rounding()));
  const double roundoff = format_of(context.kernel.info().losses_of_dtype ? c.dtype : Dtype::float32).roundoff;
  in_parts(context, c, whole, [&](const CtcPart& part) {
    compare_losses(comparison, part.bounds, part.run, part.truth, part.first);
    for (std::size_t i = 0; i < part.run.loss.size(); ++i)
      comparison.weigh(part.run.loss[i], to_double(part.truth.loss[i]), part.bounds.loss(i), roundoff);
    notice_classes(comparison, part.problem, part.bounds, part.truth);
  });
  return comparison.finding();
}

}  // namespace

CtcProperty loss() {
  return {"loss", "each loss within its derived bound", {}, check_loss, true};
}

}  // namespace assay::validation::properties
