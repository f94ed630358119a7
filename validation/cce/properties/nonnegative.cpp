// No loss is negative: a loss is -ln of a probability, or a mean of such logarithms, plus squares.
#include <fmt/format.h>

#include "validation/cce/compare.h"
#include "validation/cce/properties/properties.h"

namespace assay::validation::cce {
namespace {

Finding check_nonnegative(const CceContext& context, const CceCase& c) {
  const CceRun run = run_valid(context.kernel, c);
  for (std::size_t i = 0; i < run.loss.size(); ++i)
    if (!(run.loss[i] >= 0))
      return Finding::fail(
          fmt::format("{}\n  expected at least 0\n  got      {}", loss_place(i).text(), show(run.loss[i])));
  return Finding::pass();
}

}  // namespace

CceProperty nonnegative() {
  return {"nonnegative", "no loss is below 0", {}, check_nonnegative};
}

}  // namespace assay::validation::cce
