#include "validation/ctc/compare.h"

#include "validation/core/number.h"

namespace assay::validation {

double gradient_bound(const CtcCase& c, const CtcBounds& bounds, const CtcTruth& truth, std::int64_t t, std::int64_t b,
                      std::int64_t k) {
  const auto& row = truth.rows[static_cast<std::size_t>(b)];
  if (!row.possible || t >= c.input_lengths[static_cast<std::size_t>(b)]) return 0;
  const double y = to_double(row.y(t, k));
  const double posterior = to_double(row.posterior(t, k));
  const double exact =
      c.variable == CtcVariable::logits ? absolute_difference(row.y(t, k), row.posterior(t, k)) : posterior;
  return bounds.gradient(t, b, {y, posterior, exact});
}

void compare_gradients(Comparison& comparison, const CtcCase& c, const CtcBounds& bounds, const CtcRun& got,
                       const CtcRun& expected, double slack) {
  for (std::int64_t b = 0; b < c.B; ++b) {
    for (std::int64_t t = 0; t < c.input_lengths[static_cast<std::size_t>(b)]; ++t) {
      const double bound = bounds.possible(b) ? slack * bounds.gradient(t, b) : 0;
      for (std::int64_t k = 0; k < c.C; ++k) {
        comparison.near({"gradient", t, b, k}, got.gradient_at(c, t, b, k), double{expected.gradient_at(c, t, b, k)},
                        bound);
      }
    }
  }
}

}  // namespace assay::validation
