// An ignored token has loss 0 and gradient 0, and its row of hidden has no effect: no bit changes if the row is NaN,
// and the batch without the token gives the same results.
#include <limits>

#include "validation/cce/compare.h"
#include "validation/cce/properties/properties.h"

namespace assay::validation::cce {
namespace {

CceCase with_ignored_rows(CceCase c, float value) {
  for (std::int64_t n = 0; n < c.N; ++n)
    for (std::int64_t h = 0; h < c.H; ++h)
      if (c.is_ignored(n)) c.hidden_at(n, h) = value;
  return c;
}

void expect_zeros_of_ignored(Comparison& comparison, const CceCase& c, const CceRun& run) {
  for (std::int64_t n = 0; n < c.N; ++n) {
    if (!c.is_ignored(n)) continue;
    const auto token = static_cast<std::size_t>(n);
    if (c.reduction == Reduction::none) comparison.near(loss_place(token), run.loss[token], 0.0, 0);
    for (std::int64_t h = 0; h < c.H; ++h) {
      const auto i = static_cast<std::size_t>(n * c.H + h);
      comparison.near(dhidden_place(c, i), run.dhidden[i], 0.0, 0);
    }
  }
}

/// Compares the results of the counted tokens in the batch with their results alone.
void compare_alone(const CceContext& context, CceRunComparison& comparison, const CceCase& alone,
                   const std::vector<std::int64_t>& counted, const CceRun& run) {
  CceRun kept = run;
  kept.dhidden.clear();
  if (alone.reduction == Reduction::none) kept.loss.clear();
  for (const std::int64_t n : counted) {
    const auto row = run.dhidden.begin() + n * alone.H;
    kept.dhidden.insert(kept.dhidden.end(), row, row + alone.H);
    if (alone.reduction == Reduction::none) kept.loss.push_back(run.loss[static_cast<std::size_t>(n)]);
  }
  comparison.all(kept, run_valid(context.kernel, alone));
}

Finding check_ignored(const CceContext& context, const CceCase& c) {
  if (c.valid_tokens() == c.N) return Finding::skip("no token is ignored");
  const CceRun run = run_valid(context.kernel, with_ignored_rows(c, std::numeric_limits<float>::quiet_NaN()));
  Finding bits = same_bits(c, run, run_valid(context.kernel, with_ignored_rows(c, 0)),
                           "the row of an ignored token, NaN first, then 0, changes a bit");
  if (context.kernel.info().support.does("same_bits") && is_failure(bits.verdict)) return bits;
  std::vector<std::int64_t> counted;
  for (std::int64_t n = 0; n < c.N; ++n)
    if (!c.is_ignored(n)) counted.push_back(n);
  const CceCase alone = select_tokens(c, counted);
  CceRunComparison comparison(alone, context.kernel.info());
  compare_alone(context, comparison, alone, counted, run);
  expect_zeros_of_ignored(comparison.comparison(), c, run);
  return comparison.finding();
}

}  // namespace

CceProperty ignored() {
  return {"ignored", "ignored tokens are 0 and reach nothing", {.ignored = 1}, check_ignored};
}

}  // namespace assay::validation::cce
