// Searches for a case that a property fails, and shrinks that case. rapidcheck drives the generators.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "validation/core/random.h"
#include "validation/core/shrink.h"
#include "validation/core/verdict.h"

namespace assay::validation {

template <class Operation>
struct Counterexample {
  using Case = typename Operation::Case;

  Case problem;
  Finding finding;
  int shrinks = 0;                    ///< accepted steps from the case as first met to this one
  bool interrupted = false;           ///< shrinking was stopped before it had tried all steps
  std::shared_ptr<const Case> first;  ///< the case as first met
  Finding first_finding;
};

/// Asked before each case and each step of shrinking; true ends the search, which returns what it has found so far. A
/// failure counts as found only if it was known before: the interruption itself may cause others.
using Stop = std::function<bool()>;

namespace detail {

/// A case of any operation, or none.
struct AnyCase {
  std::shared_ptr<const void> data;

  template <class Case>
  static AnyCase of(Case c) {
    return {std::make_shared<const Case>(std::move(c))};
  }
  template <class Case>
  const Case& as() const {
    return *static_cast<const Case*>(data.get());
  }
};

struct AnyCounterexample {
  AnyCase problem;
  Finding finding;
  int shrinks = 0;
  bool interrupted = false;
  double seconds = 0;  ///< that the verdict took
};

/// The functions that a search needs.
struct SearchSteps {
  std::function<AnyCase(Random&, int size)> generate;
  std::function<std::vector<std::function<AnyCase()>>(const AnyCase&)> shrinks;  ///< each gives a case, or none
  std::function<Finding(const AnyCase&)> judge;
  Stop stop = {};
  double seconds = 10;  ///< for shrinking, or twice the time of the verdict that failed if that is more
};

bool is_stopped(const SearchSteps& steps);

/// The failure of `c`, unless `c` passes or the search is stopped meanwhile.
std::optional<AnyCounterexample> failure_of(const SearchSteps& steps, const AnyCase& c);

/// The first of the generated cases that fails.
std::optional<AnyCounterexample> first_failure(const SearchSteps& steps, int cases, std::uint64_t seed);

/// What shrinking makes of a failing case with at most `budget` further verdicts.
AnyCounterexample shrunk(const SearchSteps& steps, AnyCounterexample found, int budget);

/// The steps as SearchSteps needs them.
template <class Case>
std::vector<std::function<AnyCase()>> any_shrinks(Shrinks<Case> shrinks) {
  std::vector<std::function<AnyCase()>> steps;
  for (auto& shrink : shrinks)
    steps.push_back([shrink = std::move(shrink)]() -> AnyCase {
      auto smaller = shrink();
      return smaller ? AnyCase::of(std::move(*smaller)) : AnyCase{};
    });
  return steps;
}

template <class Operation>
std::optional<Counterexample<Operation>> search_with(
    std::function<typename Operation::Case(Random&, int)> generate, int cases, std::uint64_t seed, int shrink_budget,
    const std::function<Finding(const typename Operation::Case&)>& judge, const Stop& stop) {
  using Case = typename Operation::Case;
  const SearchSteps steps{[&](Random& random, int size) { return AnyCase::of(generate(random, size)); },
                          [](const AnyCase& any) { return any_shrinks(Operation::shrinks_of(any.as<Case>())); },
                          [&](const AnyCase& any) { return judge(any.as<Case>()); }, stop};
  const auto first = first_failure(steps, cases, seed);
  if (!first) return std::nullopt;
  const AnyCounterexample found = shrunk(steps, *first, shrink_budget);
  return Counterexample<Operation>{found.problem.as<Case>(),
                                   found.finding,
                                   found.shrinks,
                                   found.interrupted,
                                   {first->problem.data, &first->problem.as<Case>()},
                                   first->finding};
}

}  // namespace detail

/// Judges up to `cases` generated problems. Shrinks the first that fails, with at most `shrink_budget` further verdicts
/// and for about ten seconds, or twice as long as the verdict that failed.
template <class Operation>
std::optional<Counterexample<Operation>> search(const typename Operation::Profile& profile, int cases,
                                                std::uint64_t seed, int shrink_budget,
                                                const std::function<Finding(const typename Operation::Case&)>& judge) {
  const auto generate = [&](Random& random, int size) { return Operation::generate(random, size, profile); };
  return detail::search_with<Operation>(generate, cases, seed, shrink_budget, judge, {});
}

/// Judges `c` and, should it fail, shrinks it within the same limits.
template <class Operation>
std::optional<Counterexample<Operation>> search_from(
    const typename Operation::Case& c, int shrink_budget,
    const std::function<Finding(const typename Operation::Case&)>& judge, const Stop& stop = {}) {
  return detail::search_with<Operation>([&](Random&, int) { return c; }, 1, 0, shrink_budget, judge, stop);
}

}  // namespace assay::validation
