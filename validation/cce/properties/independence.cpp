// Tokens are independent: another first token does not change the losses and dhidden of all others.
#include "validation/cce/compare.h"
#include "validation/cce/properties/properties.h"

namespace assay::validation::cce {
namespace {

CceCase with_another_first(CceCase c) {
  for (std::int64_t h = 0; h < c.H; ++h)
    c.hidden_at(0, h) = rounded_to(c.dtype, 1.5 - 0.25 * static_cast<double>(h % 7));
  if (c.is_ignored(0)) return c;
  c.targets[0] = (c.targets[0] + 1) % c.V;
  if (c.is_ignored(0)) c.targets[0] = (c.targets[0] + 1) % c.V;
  return c;
}

Finding check_independence(const CceContext& context, const CceCase& given) {
  CceCase c = given;
  if (c.reduction == Reduction::sum) c.upstream.clear();
  if (c.reduction == Reduction::sum) c.reduction = Reduction::none;
  const CceRun before = run_valid(context.kernel, c);
  if (c.N == 0) return Finding::skip("there are no tokens");
  const CceRun after = run_valid(context.kernel, with_another_first(c));
  const CceBounds bounds(c, context.kernel.info());
  Comparison comparison;
  for (std::size_t n = 1; c.reduction == Reduction::none && n < before.loss.size(); ++n)
    comparison.near(loss_place(n), after.loss[n], double{before.loss[n]}, 2 * bounds.loss(n));
  for (auto i = static_cast<std::size_t>(c.H); i < before.dhidden.size(); ++i)
    comparison.near(dhidden_place(c, i), after.dhidden[i], double{before.dhidden[i]},
                    2 * bounds.dhidden(i, before.dhidden[i]), bounds.dhidden_range(i));
  return comparison.finding();
}

}  // namespace

CceProperty independence() {
  return {"independence",
          "one token leaves the others as they are",
          {.min_tokens = 2, .many_tokens = 0.3},
          check_independence};
}

}  // namespace assay::validation::cce
