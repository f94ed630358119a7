// A token given twice has the same loss and dhidden both times.
#include "validation/cce/compare.h"
#include "validation/cce/properties/properties.h"

namespace assay::validation::cce {
namespace {

/// The case with every token twice: all tokens, and then all again.
CceCase twice(const CceCase& c) {
  std::vector<std::int64_t> which;
  for (std::int64_t n = 0; n < 2 * c.N; ++n) which.push_back(n % c.N);
  return select_tokens(c, which);
}

Finding check_duplicates(const CceContext& context, const CceCase& c) {
  const CceCase d = twice(c);
  const CceRun run = run_valid(context.kernel, d);
  const CceBounds bounds(d, context.kernel.info());
  Comparison comparison;
  for (std::size_t n = 0; d.reduction == Reduction::none && n < c.targets.size(); ++n)
    comparison.near(loss_place(n), run.loss[n], double{run.loss[n + c.targets.size()]}, 2 * bounds.loss(n));
  for (std::size_t i = 0; i < c.hidden.size(); ++i) {
    const float second = run.dhidden[i + c.hidden.size()];
    comparison.near(dhidden_place(c, i), run.dhidden[i], double{second}, 2 * bounds.dhidden(i, second),
                    bounds.dhidden_range(i));
  }
  return comparison.finding();
}

}  // namespace

CceProperty duplicates() {
  return {"duplicates", "a token given twice gives the same twice", {}, check_duplicates};
}

}  // namespace assay::validation::cce
