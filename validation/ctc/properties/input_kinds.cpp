// Logits and their log_softmax state the same problem, up to the rounding of the log-probabilities to float32: an error
// of v |ln y| in each, v = 2^-24.
#include "validation/ctc/compare.h"
#include "validation/ctc/properties/properties.h"

namespace assay::validation::properties {
namespace {

constexpr double v = 0x1p-24;

Finding check_input_kinds(const CtcContext& context, const CtcCase& given) {
  if (given.input != CtcInput::logits) return Finding::skip("given as log_probs already");
  CtcCase c = given;
  c.reduction = Reduction::none;
  c.upstream.clear();
  const CtcCase logs = to_log_probs(c);
  const CtcBounds bounds(c, context.kernel.info());
  const CtcBounds bounds_of_logs(logs, context.kernel.info(), {.input_roundoff = v});
  const CtcRun from_logits = run_valid(context.kernel, c);
  const CtcRun from_logs = run_valid(context.kernel, logs);
  Comparison comparison;
  for (std::int64_t b = 0; b < c.B; ++b) {
    const auto row = static_cast<std::size_t>(b);
    const bool possible = bounds.possible(b);
    const double loss_bound = possible ? bounds.loss(row) + bounds_of_logs.loss(row) : 0;
    comparison.near({"loss", -1, b}, from_logs.loss[row], double{from_logits.loss[row]}, loss_bound);
  }
  compare_gradients(comparison, c, bounds_of_logs, from_logs, bounds, from_logits);
  return comparison.finding();
}

}  // namespace

CtcProperty input_kinds() {
  return {"input-kinds", "logits and their log_softmax agree", {.log_probs = 0, .half_types = 0}, check_input_kinds};
}

}  // namespace assay::validation::properties
