// Every element of the gradient agrees with the any-precision reference within its derived bound.
#include "validation/ctc/compare.h"
#include "validation/ctc/properties/properties.h"

namespace assay::validation::properties {
namespace {

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
                        gradient_bound(c, bounds, *truth, t, b, k));
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
