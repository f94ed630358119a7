#include "validation/ctc/properties/parts.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "validation/core/reach.h"

namespace assay::validation::properties {
namespace {

constexpr std::size_t large = std::size_t{1} << 16;
constexpr std::int64_t part_activations = std::int64_t{1} << 14;

/// How many rows a part has: where there are many, a multiple of the period in which rows of needle cases repeat.
std::int64_t rows_of_part(const CtcCase& c) {
  const std::int64_t rows = std::max<std::int64_t>(1, part_activations / (c.T * c.C));
  return rows > needle_period ? rows - rows % needle_period : rows;
}

CtcCase rows_from(const CtcCase& c, std::int64_t first, std::int64_t rows) {
  std::vector<std::int64_t> which(static_cast<std::size_t>(std::min(rows, c.B - first)));
  std::iota(which.begin(), which.end(), first);
  return select_rows(c, which);
}

/// The results of `rows` rows.
CtcRun results_from(const CtcCase& c, const CtcRun& run, std::int64_t first, std::int64_t rows) {
  CtcRun results;
  results.loss.assign(run.loss.begin() + first, run.loss.begin() + first + rows);
  for (std::int64_t t = 0; t < c.T && !run.gradient.empty(); ++t) {
    const auto frame = run.gradient.begin() + (t * c.B + first) * c.C;
    results.gradient.insert(results.gradient.end(), frame, frame + rows * c.C);
  }
  return results;
}

}  // namespace

void in_parts(const CtcContext& context, const CtcCase& c, const CtcRun& run,
              const std::function<void(const CtcPart&)>& use, Rounding rounding) {
  const auto& info = context.kernel.info();
  if (c.reduction != Reduction::none || c.activations.size() < large)
    return use({0, c, run, CtcBounds(c, info, rounding), *context.truth_of(c)});
  CtcCase part;
  std::shared_ptr<const CtcTruth> truth;
  std::optional<CtcBounds> bounds;
  const std::int64_t rows = rows_of_part(c);
  for (std::int64_t first = 0; first < c.B; first += rows) {
    CtcCase next = rows_from(c, first, rows);
    if (!truth || !(next == part)) {
      part = std::move(next);
      truth = context.truth_of(part);
      bounds.emplace(part, info, rounding);
    }
    use({first, part, results_from(c, run, first, part.B), *bounds, *truth});
  }
}

}  // namespace assay::validation::properties
