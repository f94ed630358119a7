// The reductions sum and mean return the sum and the mean of the losses of all tokens that are not ignored, and the
// gradients of that sum or mean.
#include <algorithm>

#include "validation/cce/compare.h"
#include "validation/cce/properties/properties.h"

namespace assay::validation::cce {
namespace {

CceCase reduced(CceCase c, Reduction reduction) {
  c.reduction = reduction;
  c.upstream.clear();
  return c;
}

/// The case with reduction none, and upstream as a reduction passes it to each token.
CceCase spread(const CceCase& c, double share) {
  CceCase d = reduced(c, Reduction::none);
  d.upstream.assign(c.targets.size(), static_cast<float>(share));
  return d;
}

Finding compare(const CceContext& context, const CceCase& c, double share) {
  const CceCase none = spread(c, share);
  const CceRun each = run_valid(context.kernel, none);
  const CceRun whole = run_valid(context.kernel, c);
  CceRunComparison comparison(c, none, context.kernel.info());
  comparison.gradients(whole, each);
  double total = 0;
  double bound = comparison.bounds().loss(0);
  const CceBounds losses(none, context.kernel.info());
  for (std::size_t n = 0; n < each.loss.size(); ++n) {
    total += share * double{each.loss[n]};
    bound += share * losses.loss(n);
  }
  comparison.comparison().near(loss_place(0), whole.loss[0], total, bound);
  for (std::size_t n = 0; n < each.loss.size(); ++n)
    comparison.comparison().would_notice('n', static_cast<std::int64_t>(n), std::abs(share * double{each.loss[n]}),
                                         bound);
  return comparison.finding();
}

Finding check_reductions(const CceContext& context, const CceCase& c) {
  Finding sum = compare(context, reduced(c, Reduction::sum), 1);
  if (is_failure(sum.verdict)) return sum;
  // Upstream is float32. If the share is exact in float32, there is no rounding to allow for.
  const std::int64_t valid = std::max<std::int64_t>(c.valid_tokens(), 1);
  if ((valid & (valid - 1)) != 0) return sum;
  const Finding mean = compare(context, reduced(c, Reduction::mean), 1 / static_cast<double>(valid));
  sum.take(mean);
  return sum;
}

}  // namespace

CceProperty reductions() {
  return {
      "reductions", "sum and mean are those over counted tokens", {.min_tokens = 2, .ignored = 0.6}, check_reductions};
}

}  // namespace assay::validation::cce
