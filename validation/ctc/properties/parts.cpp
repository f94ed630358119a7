#include "validation/ctc/properties/parts.h"

#include <algorithm>
#include <cstddef>
#include <list>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include "validation/core/reach.h"

namespace assay::validation::properties {
namespace {

constexpr std::size_t large = std::size_t{1} << 16;
constexpr std::int64_t part_activations = std::int64_t{1} << 14;

/// How many parts are remembered: rows that fill a part each come again in turn (validation/ctc/paired_cases.cpp).
constexpr std::size_t most_held = 3;

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

/// A problem, its truth and its bounds. Truth and bounds are computed at the same time.
class Held {
 public:
  Held(const CtcContext& context, CtcCase problem, Rounding rounding)
      : problem_(std::move(problem)),
        truth_and_bounds_(truth_and_bounds<CtcBounds>(context, problem_, CtcBoundsOptions{.rounding = rounding})) {}
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;
  ~Held() = default;

  const CtcCase& problem() const { return problem_; }
  CtcPart part(std::int64_t first, const CtcRun& run) const {
    return {first, problem_, run, truth_and_bounds_.second, *truth_and_bounds_.first};
  }

 private:
  CtcCase problem_;
  std::pair<std::shared_ptr<const CtcTruth>, CtcBounds> truth_and_bounds_;
};

}  // namespace

void in_parts(const CtcContext& context, const CtcCase& c, const CtcRun& run,
              const std::function<void(const CtcPart&)>& use, Rounding rounding) {
  if (c.reduction != Reduction::none || c.activations.size() < large)
    return use(Held(context, c, rounding).part(0, run));
  std::list<Held> latest;
  const std::int64_t rows = rows_of_part(c);
  for (std::int64_t first = 0; first < c.B; first += rows) {
    CtcCase next = rows_from(c, first, rows);
    const std::int64_t count = next.B;
    auto held = std::ranges::find(latest, next, &Held::problem);
    if (held == latest.end()) {
      if (latest.size() == most_held) latest.pop_front();
      held = latest.emplace(latest.end(), context, std::move(next), rounding);
    }
    use(held->part(first, results_from(c, run, first, count)));
  }
}

}  // namespace assay::validation::properties
