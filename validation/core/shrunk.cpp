// Shrinking, which needs no rapidcheck: search() and the gate of formulas (validation/formula/counterexample.cpp) call it.
#include <algorithm>
#include <chrono>
#include <utility>

#include "validation/core/search.h"

namespace assay::validation::detail {
namespace {

using Clock = std::chrono::steady_clock;

}  // namespace

bool is_stopped(const SearchSteps& steps) {
  return steps.stop && steps.stop();
}

std::optional<AnyCounterexample> failure_of(const SearchSteps& steps, const AnyCase& c) {
  const auto start = Clock::now();
  Finding finding = steps.judge(c);
  if (!is_failure(finding.verdict) || is_stopped(steps)) return std::nullopt;
  const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
  return AnyCounterexample{c, std::move(finding), 0, false, seconds};
}

AnyCounterexample shrunk(const SearchSteps& steps, AnyCounterexample found, int budget) {
  const auto end = Clock::now() + std::chrono::duration<double>(std::max(steps.seconds, 2 * found.seconds));
  for (bool smaller = budget > 0; smaller;) {
    smaller = false;
    for (const auto& step : steps.shrinks(found.problem)) {
      found.interrupted = is_stopped(steps);
      if (found.interrupted || Clock::now() >= end) return found;
      const AnyCase candidate = step();
      if (!candidate.data) continue;
      if (budget-- == 0) return found;
      auto failure = failure_of(steps, candidate);
      if (!failure) continue;
      failure->shrinks = found.shrinks + 1;
      found = std::move(*failure);
      smaller = true;
      break;
    }
  }
  return found;
}

}  // namespace assay::validation::detail
