// A softmax does not change if the same number is added to all logits: the same offset in every bias changes the lse
// alone, and so neither loss nor gradient without z-loss and cap.
#include <algorithm>
#include <cmath>

#include "validation/cce/compare.h"
#include "validation/cce/properties/properties.h"

namespace assay::validation::cce {
namespace {

/// The largest offset, and the unit of biases, that add up without rounding in a type, and exponents of two: of the
/// farthest offset where biases are all that logits are, and of the distance of two numbers of the type beside 1.
struct Offsets {
  double largest;
  double unit;
  int farthest;
  int distance;
};

Offsets offsets_of(Dtype dtype) {
  if (dtype == Dtype::float16) return {1024, 1, 14, -10};
  if (dtype == Dtype::bfloat16) return {128, 1, 100, -7};
  return {1e6, 0.0625, 100, -23};
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

/// Biases are the logits: within +-64 multiples of what is exact beside an offset of 2^exponent, and so all equal beside
/// the farthest ones.
CceCase of_biases_alone(CceCase c, int exponent) {
  for (std::int64_t n = 0; n < c.N; ++n)
    for (std::int64_t h = 0; h < c.H; ++h)
      if (!c.is_ignored(n)) c.hidden_at(n, h) = 0;
  const float unit = std::ldexp(1.0F, std::max(exponent + offsets_of(c.dtype).distance, 0));
  for (float& bias : c.bias)
    if (std::isfinite(bias)) bias = unit * std::round(std::clamp(bias, -64.0F, 64.0F) / unit);
  c.label_smoothing = 0;  // which adds all logits, and so loses what they have beside the offset
  return c;
}

/// Whether the kernel gives for `d` what it gave for `c`.
Finding same_results(const CceContext& context, const CceCase& d, const CceCase& c, const CceRun& before) {
  CceRunComparison comparison(d, c, context.kernel.info());
  comparison.all(run_valid(context.kernel, d), before);
  return comparison.finding();
}

/// One offset of one sign, beyond those that other logits allow, for a kernel that keeps the maximum and the sum apart.
Finding check_far_shift(const CceContext& context, const CceCase& given) {
  const Offsets offsets = offsets_of(given.dtype);
  const int chosen = static_cast<int>((given.N * 7 + given.V * 5 + given.H * 3) % 194);
  const int beyond = chosen % 4 < 2 ? chosen / 2 % 10 : chosen / 2;
  const int exponent = std::min(std::ilogb(offsets.largest) + 1 + beyond, offsets.farthest);
  const CceCase c = of_biases_alone(given, exponent);
  const CceCase d = shifted(c, std::ldexp(chosen % 2 == 0 ? -1.0 : 1.0, exponent));
  return same_results(context, d, c, run_valid(context.kernel, c));
}

Finding check_shift(const CceContext& context, const CceCase& given) {
  if (given.bias.empty()) return Finding::skip("there is no bias to shift by");
  const Offsets offsets = offsets_of(given.dtype);
  const CceCase c = coarse(given, offsets.unit);
  const CceRun before = run_valid(context.kernel, c);
  Finding worst = Finding::pass();
  for (const double offset : {offsets.largest, -offsets.largest, offsets.largest / 16}) {
    worst.take(same_results(context, shifted(c, offset), c, before));
    if (is_failure(worst.verdict)) return worst;
  }
  if (!context.kernel.info().rounded_lse) worst.take(check_far_shift(context, given));
  return worst;
}

}  // namespace

CceProperty shift() {
  return {"shift",
          "a constant added to all logits changes nothing",
          {.bias = 1, .offset = 0, .softcap = 0, .z_loss = 0},
          check_shift};
}

}  // namespace assay::validation::cce
