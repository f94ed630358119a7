// The reduction sum adds the losses of the rows; mean is PyTorch's, 1/B sum_b loss_b / max(S_b, 1). Gradients are the
// rows' gradients with the same factors.
#include <algorithm>
#include <limits>

#include "validation/ctc/compare.h"
#include "validation/ctc/properties/properties.h"

namespace assay::validation::properties {
namespace {

/// The reduced loss, computed from the rows' losses.
double reduced(const CtcCase& c, const std::vector<float>& losses) {
  long double total = 0;
  for (std::size_t b = 0; b < losses.size(); ++b) {
    const auto labels = std::max<std::int64_t>(c.target_lengths[b], 1);
    total += static_cast<long double>(losses[b]) /
             static_cast<long double>(c.reduction == Reduction::mean ? labels * c.B : 1);
  }
  return static_cast<double>(total);
}

/// The same problem without reduction; upstream holds the weight that the reduction gives each row.
CtcCase unreduced(const CtcCase& c) {
  CtcCase d = c;
  d.reduction = Reduction::none;
  d.upstream.clear();
  for (std::int64_t b = 0; b < c.B; ++b) d.upstream.push_back(static_cast<float>(c.row_weight(b)));
  return d;
}

Finding check(const CtcContext& context, const CtcCase& given) {
  Comparison comparison;
  for (const Reduction reduction : {Reduction::sum, Reduction::mean}) {
    CtcCase c = given;
    if (c.reduction == Reduction::none) c.upstream.clear();
    c.reduction = reduction;
    const CtcCase rows = unreduced(c);
    const CtcRun whole = run_valid(context.kernel, c);
    const CtcRun parts = run_valid(context.kernel, rows);
    const CtcBounds bounds(c, context.kernel.info());
    const double losses_stored = static_cast<double>(c.B) * bounds.loss(0);
    comparison.near({"loss", -1, 0}, whole.loss[0], reduced(c, parts.loss), bounds.loss(0) + losses_stored);
    compare_gradients(comparison, c, bounds, whole, parts, 3);
  }
  return comparison.finding();
}

}  // namespace

CtcProperty reductions() {
  return {"reductions", "sum and mean add up the rows' results", {.min_rows = 2, .half_types = 0}, check};
}

}  // namespace assay::validation::properties
