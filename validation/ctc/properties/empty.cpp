// A row without labels has a single alignment, all blank, so that loss = -sum_t ln y_t(blank) and dL/da =
// y - onehot(blank). A row without frames and labels has one empty alignment: p = 1, loss 0.
#include "validation/ctc/compare.h"
#include "validation/ctc/properties/properties.h"

namespace assay::validation::properties {
namespace {

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

Finding check_empty(const CtcContext& context, const CtcCase& given) {
  const CtcCase c = emptied(given);
  const CtcBounds bounds(c, context.kernel.info());
  const CtcRun run = run_valid(context.kernel, c);
  Comparison comparison;
  for (std::int64_t b = 0; b < c.B; ++b) {
    if (c.target_lengths[static_cast<std::size_t>(b)] == 0 && bounds.possible(b)) {
      const std::vector<std::int64_t> blanks(static_cast<std::size_t>(c.input_lengths[static_cast<std::size_t>(b)]),
                                             c.blank);
      compare_single_alignment(comparison, c, bounds, run, b, blanks);
    }
  }
  if (!comparison.anything()) return Finding::skip("no row without labels that can be aligned");
  return comparison.finding();
}

}  // namespace

CtcProperty empty() {
  return {"empty", "no labels: all blanks; no frames either: loss 0", {.min_rows = 2}, check_empty};
}

}  // namespace assay::validation::properties
