// The content of other rows changes no bit of a row's results.
#include "validation/core/reach.h"
#include "validation/ctc/compare.h"
#include "validation/ctc/properties/properties.h"

namespace assay::validation::properties {
namespace {

/// The case with row `kept` unchanged. All other rows get other activations and, in turns, no frames, no labels or too
/// many labels.
CtcCase with_other_rows(const CtcCase& c, std::int64_t kept) {
  CtcCase d = c;
  std::vector<std::vector<std::int64_t>> rows;
  for (std::int64_t b = 0; b < c.B; ++b) {
    rows.push_back(c.labels(b));
    if (b == kept) continue;
    for (std::int64_t t = 0; t < c.T; ++t) {
      for (std::int64_t k = 0; k < c.C; ++k) d.activation(t, b, k) = static_cast<float>((t + 2 * k + b) % 5) - 9.0F;
    }
    d.input_lengths[static_cast<std::size_t>(b)] = (b + kept) % 3 == 0 ? 0 : c.T;
    if ((b + kept) % 3 == 1) rows.back().clear();
  }
  set_targets(d, rows);
  return d;
}

void compare_row(Comparison& comparison, const CtcCase& c, const CtcRun& first, const CtcRun& second, std::int64_t b) {
  const auto hold = [&](const Place& place, float x, float y) {
    comparison.same_bits(place, x, y, "other rows changed, and so did it");
  };
  const auto row = static_cast<std::size_t>(b);
  hold({"loss", -1, b}, first.loss[row], second.loss[row]);
  for (std::int64_t t = 0; t < c.T; ++t) {
    for (std::int64_t k = 0; k < c.C; ++k) {
      hold({"gradient", t, b, k}, first.gradient_at(c, t, b, k), second.gradient_at(c, t, b, k));
    }
  }
}

Finding check_row_independence(const CtcContext& context, const CtcCase& given) {
  expect_same_bits(context.kernel.info().support);
  CtcCase c = given;
  if (c.reduction != Reduction::none) c.upstream.clear();
  c.reduction = Reduction::none;
  const CtcRun run = run_valid(context.kernel, c);
  Comparison comparison;
  for (const std::int64_t b : some_indices(c.B, 8)) {
    compare_row(comparison, c, run, run_valid(context.kernel, with_other_rows(c, b)), b);
  }
  return comparison.finding();
}

}  // namespace

CtcProperty row_independence() {
  return {"row-independence", "changing other rows changes no bit", {.min_rows = 2}, check_row_independence};
}

}  // namespace assay::validation::properties
