// Searches for a case that a property fails, and shrinks that case. rapidcheck drives our generators and shrinks.
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
  typename Operation::Case problem;
  Finding finding;
  int shrinks = 0;  ///< accepted steps from the first failing case to this one
};

/// Called before each case; true ends the search, which returns what has been found so far.
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
};

/// The functions that a search needs.
struct SearchSteps {
  std::function<AnyCase(Random&, int size)> generate;
  std::function<std::vector<std::function<AnyCase()>>(const AnyCase&)> shrinks;  ///< each gives a case, or none
  std::function<Finding(const AnyCase&)> judge;
  Stop stop = {};
};

std::optional<AnyCounterexample> search(const SearchSteps& steps, int cases, std::uint64_t seed, int shrink_budget);

/// The steps of Operation::shrinks_of as SearchSteps needs them.
template <class Operation>
std::vector<std::function<AnyCase()>> any_shrinks(const AnyCase& any) {
  using Case = typename Operation::Case;
  std::vector<std::function<AnyCase()>> steps;
  for (auto& shrink : Operation::shrinks_of(any.as<Case>()))
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
                          any_shrinks<Operation>, [&](const AnyCase& any) { return judge(any.as<Case>()); }, stop};
  auto found = search(steps, cases, seed, shrink_budget);
  if (!found) return std::nullopt;
  return Counterexample<Operation>{found->problem.as<Case>(), std::move(found->finding), found->shrinks};
}

}  // namespace detail

/// Judges up to `cases` generated problems. Shrinks the first that fails, with at most `shrink_budget` further verdicts
/// and for about ten seconds.
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
