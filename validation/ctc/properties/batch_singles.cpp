// Each row alone, cut to its own length, gives the same loss and gradient as in the batch.
#include "validation/core/remembered.h"
#include "validation/ctc/compare.h"
#include "validation/ctc/properties/properties.h"
#include "validation/ctc/shrink_structure.h"

namespace assay::validation::properties {
namespace {

void compare_single(Comparison& comparison, const CtcCase& c, const CtcBounds& bounds, const CtcRun& batch,
                    const CtcCase& alone, const CtcRun& single, std::int64_t b) {
  const auto row = static_cast<std::size_t>(b);
  const bool possible = bounds.possible(b);
  comparison.near({"loss", -1, b}, batch.loss[row], double{single.loss[0]}, possible ? 2 * bounds.loss(row) : 0);
  for (std::int64_t t = 0; t < alone.T; ++t) {
    for (std::int64_t k = 0; k < c.C; ++k) {
      const double bound = possible ? 2 * bounds.gradient(t, b, k) : 0;
      comparison.near({"gradient", t, b, k}, batch.gradient_at(c, t, b, k), double{single.gradient_at(alone, t, 0, k)},
                      bound, gradient_range(c, b));
    }
  }
}

Finding check_batch_singles(const CtcContext& context, const CtcCase& given) {
  CtcCase c = given;
  if (c.reduction != Reduction::none) c.upstream.clear();
  c.reduction = Reduction::none;
  const CtcBounds bounds(c, context.kernel.info());
  const CtcRun batch = run_valid(context.kernel, c);
  Comparison comparison;
  Remembered<CtcCase, CtcRun> singles;
  for (std::int64_t b = 0; b < c.B; ++b) {
    CtcCase alone = select_rows(c, {b});
    drop_unused_frames(alone);
    const CtcRun& single = singles.of(alone, [&](const CtcCase& d) { return run_valid(context.kernel, d); });
    compare_single(comparison, c, bounds, batch, alone, single, b);
  }
  return comparison.finding();
}

}  // namespace

CtcProperty batch_singles() {
  return {"batch-singles", "a batch equals each of its rows alone", {.min_rows = 2}, check_batch_singles};
}

}  // namespace assay::validation::properties
