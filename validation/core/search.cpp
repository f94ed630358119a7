#include "validation/core/search.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <utility>

namespace assay::validation {
namespace {

using Clock = std::chrono::steady_clock;
using Time = std::chrono::time_point<Clock, std::chrono::duration<double>>;

constexpr std::int64_t most_cut = 130;  // as far as size_pattern.h looks

/// Replaces `found` by the first of the simpler cases that fails, and returns whether there is one.
bool take_first(const SearchSteps& steps, const AnyShrinks& simpler, Time end, int& budget, Counterexample& found) {
  for (const auto& step : simpler) {
    found.interrupted = is_stopped(steps);
    if (found.interrupted || Clock::now() >= end) return false;
    const AnyCase candidate = step();
    if (!candidate) continue;
    if (budget-- == 0) return false;
    auto failure = failure_of(steps, candidate);
    if (!failure) continue;
    found = {failure->problem, failure->finding, found.shrinks + 1,  false,
             failure->seconds, found.first,      found.first_finding};
    return true;
  }
  return false;
}

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
  if (shrink_budget <= 0) return found;
  const std::chrono::duration<double> time(std::max(steps.seconds, 2 * found.seconds));
  const auto start = Clock::now();
  int unlimited = std::numeric_limits<int>::max();
  for (std::int64_t size = 1; steps.cuts && size <= most_cut; ++size)
    while (take_first(steps, steps.cuts(found.problem, size), start + time / 4, unlimited, found)) {
    }
  while (take_first(steps, steps.shrinks(found.problem), start + time, shrink_budget, found)) {
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
