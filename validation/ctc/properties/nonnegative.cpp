// From logits p <= 1, so that no loss is below 0 by more than its bound: rounding alone may make p larger than 1. A kernel
// that declares nonnegative_loss takes the larger of it and 0.
#include <fmt/format.h>

#include <algorithm>

#include "validation/core/number.h"
#include "validation/ctc/compare.h"
#include "validation/ctc/properties/properties.h"

namespace assay::validation::properties {
namespace {

/// A case with p near 1, where rounding may make a loss negative: in each frame one class is far above all others.
CtcCase confident(CtcCase c) {
  for (std::int64_t t = 0; t < c.T; ++t) {
    for (std::int64_t b = 0; b < c.B; ++b) {
      const auto labels = c.labels(b);
      const auto winner = t < static_cast<std::int64_t>(labels.size()) ? labels[static_cast<std::size_t>(t)] : c.blank;
      for (std::int64_t k = 0; k < c.C; ++k) c.activation(t, b, k) = static_cast<float>(k % 3);
      c.activation(t, b, winner) = 44.0F;
    }
  }
  return c;
}

/// A case with p near 1 that two alignments share: the first frame may be the blank or the first label, which the next
/// frame repeats. The sum of their rounded logarithms is above 0 as often as below.
CtcCase shared(CtcCase c) {
  for (std::int64_t b = 0; b < c.B; ++b) {
    const auto labels = c.labels(b);
    for (std::int64_t t = 0; t < c.T; ++t) {
      const auto before = static_cast<std::size_t>(std::max<std::int64_t>(t - 1, 0));
      for (std::int64_t k = 0; k < c.C; ++k) c.activation(t, b, k) = static_cast<float>(k % 3);
      c.activation(t, b, before < labels.size() ? labels[before] : c.blank) = 44.0F;
      if (t == 0) c.activation(t, b, c.blank) = 44.0F - static_cast<float>(b % 61) / 16.0F;
    }
  }
  return c;
}

Finding check_nonnegative(const CtcContext& context, const CtcCase& given) {
  if (given.input != CtcInput::logits) return Finding::skip("log_probs need not be normalised");
  Comparison comparison;
  const bool is_clamped = context.kernel.info().nonnegative_loss;
  for (const CtcCase& c : {given, confident(given), shared(given)}) {
    if (!why_not(context.kernel.info(), c).empty()) continue;
    const CtcRun run = run_kernel(context.kernel, c);
    if (run.refused) continue;
    const CtcBounds bounds(c, context.kernel.info());
    for (std::size_t i = 0; i < run.loss.size(); ++i) {
      const double below = is_clamped ? 0 : bounds.loss(i);
      if (run.loss[i] < -below) {  // a NaN is judged by other properties
        const Place place{"loss", -1, static_cast<std::int64_t>(i)};
        const std::string by_rounding = is_clamped ? "" : fmt::format(", or {:.3g} below by rounding", below);
        comparison.fail(
            fmt::format("{}\n  expected at least 0{}\n  got      {}", place.text(), by_rounding, show(run.loss[i])),
            Clue::number(0, run.loss[i]));
      }
    }
  }
  return comparison.finding();
}

}  // namespace

CtcProperty nonnegative() {
  return {"nonnegative",
          "no loss is below 0 by more than its bound or claim",
          {.minus_infinity = 0, .log_probs = 0},
          check_nonnegative};
}

}  // namespace assay::validation::properties
