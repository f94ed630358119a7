// A constant added to all logits of a frame changes nothing: softmax(a + c) = softmax(a).
#include <algorithm>
#include <cmath>

#include "validation/ctc/compare.h"
#include "validation/ctc/properties/properties.h"

namespace assay::validation::properties {
namespace {

constexpr int near_offset = 11, last_offset = 100;  ///< exponents of two

/// The distance of logits within +-64 that, beside an offset of +-2^exponent, are exact in float32.
float unit_beside(int exponent) {
  return std::ldexp(1.0F, std::max(exponent - 23, -6));
}

/// Finite logits become multiples of the unit within +-64; beyond 2^30 they are all equal.
CtcCase on_grid(CtcCase c, int exponent) {
  const float unit = unit_beside(exponent);
  for (float& a : c.activations)
    if (std::isfinite(a)) a = std::round(std::clamp(a, -64.0F, 64.0F) / unit) * unit;
  return c;
}

/// An offset of 2^exponent, of the other sign from each frame and each row to the next, with the size of a frame's own.
CtcCase shifted(CtcCase c, int exponent) {
  for (std::int64_t t = 0; t < c.T; ++t)
    for (std::int64_t b = 0; b < c.B; ++b) {
      const float amount =
          std::ldexp((t + b) % 2 == 0 ? -1.0F : 1.0F, exponent - static_cast<int>((t * 37 + b * 11) % 3));
      for (std::int64_t k = 0; k < c.C; ++k) c.activation(t, b, k) += amount;
    }
  return c;
}

/// Whether each row and each element of the gradient has a bound that judges it.
bool is_judged_everywhere(const CtcBounds& bounds, const CtcCase& c) {
  for (std::int64_t b = 0; b < c.B; ++b)
    for (std::int64_t t = 0; t < c.input_lengths[static_cast<std::size_t>(b)]; ++t)
      for (std::int64_t k = 0; k < c.C; ++k)
        if (bounds.possible(b) && !is_judged(bounds.gradient(t, b, k), gradient_range(c, b))) return false;
  return true;
}

Finding compare_shifted(const CtcContext& context, const CtcCase& given, int exponent) {
  const CtcCase c = on_grid(given, exponent), d = shifted(c, exponent);
  const CtcBounds bounds_of_moved(d, context.kernel.info());
  if (exponent > near_offset && !is_judged_everywhere(bounds_of_moved, d)) return Finding::pass();
  const CtcBounds bounds(c, context.kernel.info());
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

/// A far offset is tried where the kernel's own bounds still say something: the logarithm of a softmax is known to the
/// roundoff of the offset, where a kernel keeps the two as one number.
Finding check_shift(const CtcContext& context, const CtcCase& given) {
  if (given.input != CtcInput::logits) return Finding::skip("log_probs are not free to shift");
  Finding worst = Finding::pass();
  const int far =
      near_offset + 1 + static_cast<int>((given.T * 7 + given.B * 5 + given.C * 3) % (last_offset - near_offset));
  const int between = near_offset + 1 + far % 10;
  for (const int exponent : {near_offset, between, far}) {
    worst.take(compare_shifted(context, given, exponent));
    if (is_failure(worst.verdict)) break;
  }
  return worst;
}

}  // namespace

CtcProperty shift() {
  return {
      "shift", "a constant added to a frame's logits changes nothing", {.log_probs = 0, .half_types = 0}, check_shift};
}

}  // namespace assay::validation::properties
