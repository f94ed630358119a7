// Logits and their log_softmax state the same problem, up to the rounding of the log-probabilities to float32: an error
// of v |ln y| in each, v = 2^-24; along a path of T frames the errors add up.
#include <cmath>

#include "validation/ctc/compare.h"
#include "validation/ctc/properties/properties.h"

namespace assay::validation::properties {
namespace {

constexpr double v = 0x1p-24;

/// The error in ln p from rounding ln y: v times the sum over frames of the largest |ln y| on any alignment.
double cost(const CtcCase& c, std::int64_t b) {
  double total = 0;
  for (const double emission : log_magnitudes(c, b).emission) total += v * emission;
  return total;
}

Finding check_input_kinds(const CtcContext& context, const CtcCase& given) {
  if (given.input != CtcInput::logits) return Finding::skip("given as log_probs already");
  CtcCase c = given;
  c.reduction = Reduction::none;
  c.upstream.clear();
  const CtcCase logs = to_log_probs(c);
  const CtcBounds bounds(c, context.kernel.info());
  const CtcBounds bounds_of_logs(logs, context.kernel.info());
  const CtcRun from_logits = run_valid(context.kernel, c);
  const CtcRun from_logs = run_valid(context.kernel, logs);
  Comparison comparison;
  for (std::int64_t b = 0; b < c.B; ++b) {
    const auto row = static_cast<std::size_t>(b);
    const bool possible = bounds.possible(b);
    const double path = possible ? cost(c, b) : 0;
    const double loss_bound = possible ? bounds.loss(row) + bounds_of_logs.loss(row) + path : 0;
    comparison.near({"loss", -1, b}, from_logs.loss[row], double{from_logits.loss[row]}, loss_bound);
    for (std::int64_t t = 0; t < c.input_lengths[row]; ++t) {
      // Rounding ln y changes y by at most v y |ln y| <= v / e, and a posterior by twice the relative change of p.
      const double rounding = v / 2 + std::expm1(2 * path);
      const double bound = possible ? bounds.gradient(t, b) + bounds_of_logs.gradient(t, b) + rounding : 0;
      for (std::int64_t k = 0; k < c.C; ++k) {
        comparison.near({"gradient", t, b, k}, from_logs.gradient_at(c, t, b, k),
                        double{from_logits.gradient_at(c, t, b, k)}, bound);
      }
    }
  }
  return comparison.finding();
}

}  // namespace

CtcProperty input_kinds() {
  return {"input-kinds", "logits and their log_softmax agree", {.log_probs = 0, .half_types = 0}, check_input_kinds};
}

}  // namespace assay::validation::properties
