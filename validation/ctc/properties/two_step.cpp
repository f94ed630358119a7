// Eesen's two steps agree with the direct gradient: with g = dL/d ln y (the first step, E = dL/dy, times y),
// dL/da_t(k) = g_t(k) - y_t(k) sum_j g_t(j), and the kernel's own dL/da is that.
#include <cmath>

#include "validation/ctc/compare.h"
#include "validation/ctc/properties/properties.h"
#include "validation/ctc/softmax.h"

namespace assay::validation::properties {
namespace {

void check_steps(Comparison& comparison, const CtcCase& c, const CtcBounds& bounds, const CtcRun& direct,
                 const CtcBounds& bounds_of_first, const CtcRun& first_step, std::int64_t t, std::int64_t b) {
  const auto y = softmax(c, t, b);
  long double row_sum = 0;
  double bound_of_sum = 0;
  for (std::int64_t k = 0; k < c.C; ++k) {
    row_sum += static_cast<long double>(first_step.gradient_at(c, t, b, k));
    bound_of_sum += bounds_of_first.gradient(t, b, k);
  }
  for (std::int64_t k = 0; k < c.C; ++k) {
    const long double y_k = y[static_cast<std::size_t>(k)];
    const auto expected = static_cast<double>(first_step.gradient_at(c, t, b, k) - y_k * row_sum);
    const double bound =
        bounds.gradient(t, b, k) + bounds_of_first.gradient(t, b, k) + static_cast<double>(y_k) * bound_of_sum;
    comparison.near({"gradient", t, b, k}, direct.gradient_at(c, t, b, k), expected, bound, gradient_range(c, b));
  }
}

Finding check_two_step(const CtcContext& context, const CtcCase& given) {
  if (given.input != CtcInput::logits) return Finding::skip("without a softmax there is one step");
  CtcCase c = given;
  c.variable = CtcVariable::logits;
  CtcCase one_step = c;
  one_step.variable = CtcVariable::log_probs;
  const CtcBounds bounds(c, context.kernel.info()), bounds_of_first(one_step, context.kernel.info());
  const CtcRun direct = run_valid(context.kernel, c);
  const CtcRun first_step = run_valid(context.kernel, one_step);
  Comparison comparison;
  for (std::int64_t b = 0; b < c.B; ++b) {
    for (std::int64_t t = 0; t < c.input_lengths[static_cast<std::size_t>(b)] && bounds.possible(b); ++t) {
      check_steps(comparison, c, bounds, direct, bounds_of_first, first_step, t, b);
    }
  }
  if (!comparison.anything()) return Finding::skip("no row that can be aligned has frames");
  return comparison.finding();
}

}  // namespace

CtcProperty two_step() {
  return {"two-step", "dL/dlog_probs through the softmax is dL/dlogits", {.log_probs = 0}, check_two_step};
}

}  // namespace assay::validation::properties
