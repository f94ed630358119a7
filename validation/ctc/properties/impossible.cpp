// A row that no alignment fits has loss +inf and gradient NaN; with zero_infinity both are 0.
#include <limits>

#include "validation/core/infinity.h"
#include "validation/ctc/compare.h"
#include "validation/ctc/properties/properties.h"

namespace assay::validation::properties {
namespace {

Finding check_impossible(const CtcContext& context, const CtcCase& given) {
  CtcCase c = given;
  c.reduction = Reduction::none;
  c.upstream.clear();
  const CtcBounds bounds(c, context.kernel.info());
  const CtcRun run = run_valid(context.kernel, c);
  Comparison comparison;
  for (std::int64_t b = 0; b < c.B; ++b) {
    if (bounds.possible(b)) continue;
    comparison.near({"loss", -1, b}, run.loss[static_cast<std::size_t>(b)], c.zero_infinity ? 0.0 : infinity, 0);
    for (std::int64_t t = 0; t < c.input_lengths[static_cast<std::size_t>(b)]; ++t) {
      for (std::int64_t k = 0; k < c.C; ++k) {
        comparison.near({"gradient", t, b, k}, run.gradient_at(c, t, b, k),
                        c.zero_infinity ? 0.0 : std::numeric_limits<double>::quiet_NaN(), 0);
      }
    }
  }
  if (!comparison.anything()) return Finding::skip("every row can be aligned");
  return comparison.finding();
}

}  // namespace

CtcProperty impossible() {
  return {"impossible",
          "no alignment: loss +inf, gradient NaN, or both 0",
          {.impossible_rows = 0.5, .minus_infinity = 0.4},
          check_impossible};
}

}  // namespace assay::validation::properties
