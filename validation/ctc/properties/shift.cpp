// A constant added to all logits of a frame changes nothing: softmax(a + c) = softmax(a).
#include <algorithm>
#include <cmath>

#include "validation/ctc/compare.h"
#include "validation/ctc/properties/properties.h"

namespace assay::validation::properties {
namespace {

/// Logits on a grid of 1/64 within +-64, so that adding multiples of 1/64 up to 2^12 is exact in float32.
float on_grid(float a) {
  if (!std::isfinite(a)) return a;
  return std::round(std::clamp(a, -64.0F, 64.0F) * 64.0F) / 64.0F;
}

CtcCase shifted(CtcCase c) {
  for (std::int64_t t = 0; t < c.T; ++t) {
    for (std::int64_t b = 0; b < c.B; ++b) {
      const auto amount = static_cast<float>((t * 37 + b * 11) % 9 - 4) * 511.984375F;
      for (std::int64_t k = 0; k < c.C; ++k) c.activation(t, b, k) += amount;
    }
  }
  return c;
}

Finding check_shift(const CtcContext& context, const CtcCase& given) {
  CtcCase c = given;
  c.input = CtcInput::logits;
  if (given.input != CtcInput::logits) return Finding::skip("log_probs are not free to shift");
  for (auto& a : c.activations) a = on_grid(a);
  const CtcCase d = shifted(c);
  const CtcBounds bounds(c, context.kernel.info()), bounds_of_moved(d, context.kernel.info());
  const CtcRun plain = run_valid(context.kernel, c);
  const CtcRun moved = run_valid(context.kernel, d);
  Comparison comparison;
  for (std::size_t i = 0; i < plain.loss.size(); ++i) {
    comparison.near({"loss", -1, static_cast<std::int64_t>(i)}, moved.loss[i], double{plain.loss[i]},
                    std::isfinite(plain.loss[i]) ? bounds.loss(i) + bounds_of_moved.loss(i) : 0);
  }
  compare_gradients(comparison, c, bounds_of_moved, moved, bounds, plain);
  return comparison.finding();
}

}  // namespace

CtcProperty shift() {
  return {
      "shift", "a constant added to a frame's logits changes nothing", {.log_probs = 0, .half_types = 0}, check_shift};
}

}  // namespace assay::validation::properties
