// A softmax does not change if the same number is added to all logits: the same offset in every bias, up to a million,
// changes the lse alone, and so neither loss nor gradient without z-loss and cap.
#include <cmath>

#include "validation/cce/compare.h"
#include "validation/cce/properties/properties.h"

namespace assay::validation::cce {
namespace {

/// The largest offset, and the unit of biases, that add up without rounding in a type.
struct Offsets {
  double largest;
  double unit;
};

Offsets offsets_of(Dtype dtype) {
  if (dtype == Dtype::float16) return {1024, 1};
  if (dtype == Dtype::bfloat16) return {128, 1};
  return {1e6, 0.0625};
}

/// Small biases that are multiples of the unit.
CceCase coarse(CceCase c, double unit) {
  for (float& bias : c.bias)
    if (std::isfinite(bias)) bias = static_cast<float>(unit * std::round(std::fmod(double{bias}, 32.0) / unit));
  return c;
}

CceCase shifted(CceCase c, double offset) {
  for (float& bias : c.bias) bias = static_cast<float>(double{bias} + offset);
  return c;
}

Finding check_shift(const CceContext& context, const CceCase& given) {
  if (given.bias.empty()) return Finding::skip("there is no bias to shift by");
  const Offsets offsets = offsets_of(given.dtype);
  const CceCase c = coarse(given, offsets.unit);
  const CceRun before = run_valid(context.kernel, c);
  Finding worst = Finding::pass();
  for (const double offset : {offsets.largest, -offsets.largest, offsets.largest / 16}) {
    const CceCase d = shifted(c, offset);
    CceRunComparison comparison(d, c, context.kernel.info());
    comparison.all(run_valid(context.kernel, d), before);
    worst.take(comparison.finding());
    if (is_failure(worst.verdict)) break;
  }
  return worst;
}

}  // namespace

CceProperty shift() {
  return {"shift",
          "logits + c give the same, for c up to 1e6",
          {.bias = 1, .offset = 0, .softcap = 0, .z_loss = 0},
          check_shift};
}

}  // namespace assay::validation::cce
