// The loss agrees with the any-precision reference within its derived bound.
#include <algorithm>
#include <cmath>

#include "validation/cce/compare.h"
#include "validation/cce/properties/properties.h"

namespace assay::validation::cce {
namespace {

/// The least change of a token's loss if the logits change by `change`, or by its negative.
template <class Change>
double least_effect(const CceToken& token, const Change& change) {
  double sums[] = {0, 0};
  for (std::size_t v = 0; v < token.p.size(); ++v) {
    sums[0] += token.p[v] * std::expm1(-change(v));
    sums[1] += token.p[v] * std::expm1(change(v));
  }
  const double of_target = change(token.target);
  return std::min(std::abs(std::log1p(sums[0]) + of_target), std::abs(std::log1p(sums[1]) - of_target));
}

/// Marks the entries of which the loss notices the exponential in its sum, and the columns of which it notices the
/// products in the logits. Small cases and needle cases alone, of a plain loss: it takes as long as all logits.
void notice_terms(Comparison& comparison, const CceCase& c, const CceKernelInfo& kernel, const CceBounds& bounds) {
  constexpr std::int64_t most = 1 << 20;
  if (c.N * c.H * c.V > most || c.reduction != Reduction::none) return;
  if (c.has_softcap() || c.label_smoothing != 0 || c.z_loss != 0) return;
  for (std::int64_t n = 0; n < c.N; ++n) {
    if (c.is_ignored(n)) continue;
    const CceToken token = measure_token(c, kernel, n);
    const double bound = bounds.loss(static_cast<std::size_t>(n));
    for (std::size_t v = 0; v < token.p.size(); ++v)
      comparison.would_notice('v', static_cast<std::int64_t>(v), std::log1p(token.p[v]), bound);
    for (std::int64_t h = 0; h < c.H; ++h)
      comparison.would_notice('h', h,
                              least_effect(token,
                                           [&](std::size_t v) {
                                             return double{c.hidden_at(n, h)} *
                                                    double{c.weight_at(static_cast<std::int64_t>(v), h)};
                                           }),
                              bound);
  }
}

Finding check_loss(const CceContext& context, const CceCase& c) {
  const auto [truth, bounds] = truth_and_bounds<CceBounds>(context, c);
  const CceRun run = run_valid(context.kernel, c, {.without = {"dhidden", "dweight", "dbias"}});
  Comparison comparison(widest_share(context.kernel.info().largest_rounding(c.dtype)));
  for (std::size_t i = 0; i < run.loss.size(); ++i) {
    comparison.near(loss_place(i), run.loss[i], truth->loss, i, bounds.loss(i));
    comparison.weigh(run.loss[i], to_double(truth->loss[i]), bounds.loss(i), 0x1p-24);
  }
  notice_terms(comparison, c, context.kernel.info(), bounds);
  return comparison.finding();
}

}  // namespace

CceProperty loss() {
  return {"loss", "each loss within its derived bound", {}, check_loss, true};
}

}  // namespace assay::validation::cce
