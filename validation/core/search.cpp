#include "validation/core/search.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace assay::validation {
namespace {

using Clock = std::chrono::steady_clock;

}  // namespace

bool is_stopped(const SearchSteps& steps) {
  return steps.stop && steps.stop();
}

std::optional<Counterexample> failure_of(const SearchSteps& steps, const AnyCase& c) {
  const auto start = Clock::now();
  Finding finding = steps.judge(c);
  if (!is_failure(finding.verdict) || is_stopped(steps)) return std::nullopt;
  const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
  return Counterexample{c, finding, 0, false, seconds, c, finding};
}

std::optional<Counterexample> first_failure_in_turn(const SearchSteps& steps, int cases, std::uint64_t seed) {
  std::optional<Counterexample> found;
  Random seeds(seed);
  for (int i = 0; i < cases && !found && !is_stopped(steps); ++i) {
    Random own(seeds.bits());
    found = failure_of(steps, steps.generate(own, 100 * i / std::max(cases - 1, 1)));
  }
  return found;
}

Counterexample shrunk(const SearchSteps& steps, Counterexample found, int shrink_budget) {
  const auto end = Clock::now() + std::chrono::duration<double>(std::max(steps.seconds, 2 * found.seconds));
  for (bool smaller = shrink_budget > 0; smaller;) {
    smaller = false;
    for (const auto& step : steps.shrinks(found.problem)) {
      found.interrupted = is_stopped(steps);
      if (found.interrupted || Clock::now() >= end) return found;
      const AnyCase candidate = step();
      if (!candidate) continue;
      if (shrink_budget-- == 0) return found;
      auto failure = failure_of(steps, candidate);
      if (!failure) continue;
      found = {failure->problem, failure->finding, found.shrinks + 1,  false,
               failure->seconds, found.first,      found.first_finding};
      smaller = true;
      break;
    }
  }
  return found;
}

std::optional<Counterexample> search_from(const SearchSteps& steps, const AnyCase& c, int shrink_budget) {
  if (is_stopped(steps)) return std::nullopt;
  auto found = failure_of(steps, c);
  if (found) found = shrunk(steps, std::move(*found), shrink_budget);
  return found;
}

}  // namespace assay::validation
