// Probability is conserved in each frame: sum_k dL/da_t(k) = w (sum_k y_t(k) - 1) = 0 from logits, and
// sum_k dL/d ln y_t(k) = -w, because the posteriors of a frame sum to 1.
#include <cmath>
#include <numeric>

#include "validation/ctc/compare.h"
#include "validation/ctc/properties/properties.h"
#include "validation/ctc/softmax.h"

namespace assay::validation::properties {
namespace {

void check_frame(Comparison& comparison, const CtcCase& c, const CtcBounds& bounds, const CtcRun& run, std::int64_t t,
                 std::int64_t b) {
  const auto y = softmax(c, t, b);
  const long double all = c.variable == CtcVariable::logits ? std::accumulate(y.begin(), y.end(), 0.0L) : 0.0L;
  const double weight = c.row_weight(b);
  long double sum = 0;
  double bound = 0;
  for (std::int64_t k = 0; k < c.C; ++k) {
    sum += static_cast<long double>(run.gradient_at(c, t, b, k));
    bound += bounds.gradient(t, b, k);
  }
  const auto expected = static_cast<double>(weight * (all - 1));
  // The sum of the frame is compared as a float32 number; the bound includes the rounding to float32.
  const auto shown = static_cast<float>(sum);
  if (std::isfinite(shown)) bound += std::abs(static_cast<double>(sum - static_cast<long double>(shown)));
  comparison.near({"sum of gradient", t, b, -1}, shown, expected, bound, gradient_range(c, b));
}

Finding check_frame_sums(const CtcContext& context, const CtcCase& c) {
  const CtcBounds bounds(c, context.kernel.info());
  const CtcRun run = run_valid(context.kernel, c);
  Comparison comparison;
  for (std::int64_t b = 0; b < c.B; ++b) {
    for (std::int64_t t = 0; t < c.input_lengths[static_cast<std::size_t>(b)] && bounds.possible(b); ++t) {
      check_frame(comparison, c, bounds, run, t, b);
    }
  }
  if (!comparison.anything()) return Finding::skip("no row that can be aligned has frames");
  return comparison.finding();
}

}  // namespace

CtcProperty frame_sums() {
  return {"frame-sums", "a frame's gradient sums to 0 (log_probs: to -w)", {}, check_frame_sums};
}

}  // namespace assay::validation::properties
