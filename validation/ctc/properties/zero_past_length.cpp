// The gradient of frames past input_length is exactly 0.
#include "validation/ctc/compare.h"
#include "validation/ctc/properties/properties.h"

namespace assay::validation::properties {
namespace {

Finding check_zero_past_length(const CtcContext& context, const CtcCase& c) {
  const CtcRun run = run_valid(context.kernel, c);
  Comparison comparison;
  for (std::int64_t b = 0; b < c.B; ++b) {
    for (std::int64_t t = c.input_lengths[static_cast<std::size_t>(b)]; t < c.T; ++t) {
      for (std::int64_t k = 0; k < c.C; ++k)
        comparison.near({"gradient", t, b, k}, run.gradient_at(c, t, b, k), 0.0, 0);
    }
  }
  if (!comparison.anything()) return Finding::skip("every row is as long as T");
  return comparison.finding();
}

}  // namespace

CtcProperty zero_past_length() {
  return {
      "zero-past-length", "the gradient is exactly 0 at t >= input_length", {.min_rows = 2}, check_zero_past_length};
}

}  // namespace assay::validation::properties
