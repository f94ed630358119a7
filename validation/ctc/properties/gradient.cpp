// Every element of the gradient is that of the any-precision reference, within its derived bound.
#include <cmath>

#include "validation/core/number.h"
#include "validation/ctc/compare.h"
#include "validation/ctc/properties/properties.h"

namespace assay::validation::properties {
namespace {

double bound_at(const CtcCase& c, const CtcBounds& bounds, const CtcTruth& truth, std::int64_t t, std::int64_t b,
                std::int64_t k) {
  const auto& row = truth.rows[static_cast<std::size_t>(b)];
  if (!row.possible || t >= c.input_lengths[static_cast<std::size_t>(b)]) return 0;
  const double y = to_double(row.y(t, k));
  const double posterior = to_double(row.posterior(t, k));
  const double exact =
      c.variable == CtcVariable::logits ? absolute_difference(row.y(t, k), row.posterior(t, k)) : posterior;
  return bounds.gradient(t, b, {y, posterior, exact});
}

Finding check(const CtcContext& context, const CtcCase& c) {
  const auto truth = context.truth_of(c);
  const CtcBounds bounds(c, context.kernel.info());
  const CtcRun run = run_valid(context.kernel, c);
  Comparison comparison;
  for (std::int64_t t = 0; t < c.T; ++t) {
    for (std::int64_t b = 0; b < c.B; ++b) {
      for (std::int64_t k = 0; k < c.C; ++k) {
        const auto i = static_cast<std::size_t>((t * c.B + b) * c.C + k);
        comparison.near({"gradient", t, b, k}, run.gradient[i], truth->gradient[i],
                        bound_at(c, bounds, *truth, t, b, k));
      }
    }
  }
  return comparison.finding();
}

}  // namespace

CtcProperty gradient() {
  return {"gradient", "each gradient element within its derived bound", {}, check, true};
}

}  // namespace assay::validation::properties
