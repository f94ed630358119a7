// A row without labels has a single alignment, all blank, so that loss = -sum_t ln y_t(blank) and dL/da =
// y - onehot(blank). A row without frames and labels has one empty alignment: p = 1, loss 0.
#include <cmath>

#include "validation/ctc/compare.h"
#include "validation/ctc/properties/properties.h"
#include "validation/ctc/softmax.h"

namespace assay::validation::properties {
namespace {

void check_row(Comparison& comparison, const CtcCase& c, const CtcBounds& bounds, const CtcRun& run, std::int64_t b) {
  const auto row = static_cast<std::size_t>(b);
  long double expected = 0;
  for (std::int64_t t = 0; t < c.input_lengths[row]; ++t) {
    const auto log_y = log_softmax(c, t, b);
    expected -= log_y[static_cast<std::size_t>(c.blank)];
    for (std::int64_t k = 0; k < c.C; ++k) {
      const long double all = c.variable == CtcVariable::logits ? std::exp(log_y[static_cast<std::size_t>(k)]) : 0;
      const auto exact = static_cast<double>(all - (k == c.blank ? 1 : 0));
      const GradientSizes sizes{static_cast<double>(all), k == c.blank ? 1.0 : 0.0, std::abs(exact)};
      comparison.near({"gradient", t, b, k}, run.gradient_at(c, t, b, k), exact, bounds.gradient(t, b, sizes));
    }
  }
  comparison.near({"loss", -1, b}, run.loss[row], static_cast<double>(expected), bounds.loss(row));
}

/// Removes the labels of every second row, and also the frames of every fourth.
CtcCase emptied(const CtcCase& given) {
  CtcCase c = given;
  c.reduction = Reduction::none;
  c.upstream.clear();
  std::vector<std::vector<std::int64_t>> rows;
  for (std::int64_t b = 0; b < c.B; ++b) {
    rows.push_back(b % 2 == 0 ? std::vector<std::int64_t>{} : c.labels(b));
    if (b % 4 == 2) c.input_lengths[static_cast<std::size_t>(b)] = 0;
  }
  set_targets(c, rows);
  return c;
}

Finding check(const CtcContext& context, const CtcCase& given) {
  const CtcCase c = emptied(given);
  const CtcBounds bounds(c, context.kernel.info());
  const CtcRun run = run_valid(context.kernel, c);
  Comparison comparison;
  for (std::int64_t b = 0; b < c.B; ++b) {
    if (c.target_lengths[static_cast<std::size_t>(b)] == 0 && bounds.possible(b)) {
      check_row(comparison, c, bounds, run, b);
    }
  }
  if (!comparison.anything()) return Finding::skip("no row without labels that can be aligned");
  return comparison.finding();
}

}  // namespace

CtcProperty empty() {
  return {"empty", "no labels: all blanks; no frames either: loss 0", {.min_rows = 2}, check};
}

}  // namespace assay::validation::properties
