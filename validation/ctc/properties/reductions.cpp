// The reduction sum adds the losses of the rows; mean is PyTorch's, 1/B sum_b loss_b / max(S_b, 1). Gradients are the
// rows' gradients with the same factors.
#include <algorithm>
#include <cmath>
#include <vector>

#include "validation/ctc/compare.h"
#include "validation/ctc/properties/properties.h"

namespace assay::validation::properties {
namespace {

/// Compares the reduced loss with the sum of the rows' losses, and marks the rows whose loss it notices.
void compare_loss(Comparison& comparison, const CtcCase& c, const CtcRun& whole, double bound_of_whole,
                  const CtcRun& parts, const CtcBounds& bounds) {
  long double total = 0;
  double bound = bound_of_whole;
  std::vector<double> terms;
  for (std::size_t b = 0; b < parts.loss.size(); ++b) {
    const auto labels = std::max<std::int64_t>(c.target_lengths[b], 1);
    const auto divisor = static_cast<long double>(c.reduction == Reduction::mean ? labels * c.B : 1);
    const long double term = static_cast<long double>(parts.loss[b]) / divisor;
    total += term;
    bound += bounds.loss(b) / static_cast<double>(divisor);
    terms.push_back(static_cast<double>(std::abs(term)));
  }
  comparison.near({"loss", -1, 0}, whole.loss[0], static_cast<double>(total), bound);
  for (std::size_t b = 0; b < terms.size(); ++b)
    comparison.would_notice('b', static_cast<std::int64_t>(b), terms[b], bound);
}

/// The same problem without reduction; upstream holds the weight that the reduction gives each row.
CtcCase unreduced(const CtcCase& c) {
  CtcCase d = c;
  d.reduction = Reduction::none;
  d.upstream.clear();
  for (std::int64_t b = 0; b < c.B; ++b) d.upstream.push_back(static_cast<float>(c.row_weight(b)));
  return d;
}

Finding check_reductions(const CtcContext& context, const CtcCase& given) {
  Comparison comparison;
  for (const Reduction reduction : {Reduction::sum, Reduction::mean}) {
    CtcCase c = given;
    if (c.reduction == Reduction::none) c.upstream.clear();
    c.reduction = reduction;
    const CtcCase rows = unreduced(c);
    const CtcRun whole = run_valid(context.kernel, c);
    const CtcRun parts = run_valid(context.kernel, rows);
    const CtcBounds bounds(c, context.kernel.info());
    compare_loss(comparison, c, whole, bounds.loss(0), parts, CtcBounds(rows, context.kernel.info()));
    compare_gradients(comparison, c, bounds, whole, parts, 3);
  }
  return comparison.finding();
}

}  // namespace

CtcProperty reductions() {
  return {"reductions", "sum and mean add up the rows' results", {.min_rows = 2, .half_types = 0}, check_reductions};
}

}  // namespace assay::validation::properties
