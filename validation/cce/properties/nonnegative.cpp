// No loss is below 0 by more than its bound: a loss is -ln of a probability, or a mean of such logarithms, plus
// squares.
#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "validation/cce/compare.h"
#include "validation/cce/properties/properties.h"

namespace assay::validation::cce {
namespace {

Finding check_nonnegative(const CceContext& context, const CceCase& c) {
  const CceRun run = run_valid(context.kernel, c);
  const CceBounds bounds(c, context.kernel.info());
  for (std::size_t i = 0; i < run.loss.size(); ++i) {
    const double bound = std::isnan(bounds.loss(i)) ? std::numeric_limits<double>::infinity() : bounds.loss(i);
    if (!(run.loss[i] >= -bound))
      return Finding::fail(fmt::format("{}\n  expected at least 0, or {:.3g} below by rounding\n  got      {}",
                                       loss_place(i).text(), bound, show(run.loss[i])),
                           {}, Clue::number(0, run.loss[i]));
  }
  return Finding::pass();
}

}  // namespace

CceProperty nonnegative() {
  return {"nonnegative", "no loss is below 0 by more than its bound", {}, check_nonnegative};
}

}  // namespace assay::validation::cce
