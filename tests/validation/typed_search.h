// The gate's search over the cases of one operation, for tests that judge by a function of the case alone.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "validation/core/search.h"
#include "validation/core/shrink.h"

namespace assay::validation {

template <class Operation>
SearchSteps steps_of(const typename Operation::Profile& profile,
                     std::function<Finding(const typename Operation::Case&)> judge, Stop stop = {}) {
  using Case = typename Operation::Case;
  return {[=](Random& random, int size) -> AnyCase { return Operation::generate(random, size, profile); },
          [](const AnyCase& c) { return any_shrinks(Operation::shrinks_of(c.as<Case>())); },
          [=](const AnyCase& c) { return judge(c.as<Case>()); }, std::move(stop)};
}

template <class Operation>
std::optional<Counterexample> search(const typename Operation::Profile& profile, int cases, std::uint64_t seed,
                                     int shrink_budget, std::function<Finding(const typename Operation::Case&)> judge) {
  const SearchSteps steps = steps_of<Operation>(profile, std::move(judge));
  auto found = first_failure(steps, cases, seed);
  if (found) found = shrunk(steps, std::move(*found), shrink_budget);
  return found;
}

template <class Operation>
std::optional<Counterexample> search_from(const typename Operation::Case& c, int shrink_budget,
                                          std::function<Finding(const typename Operation::Case&)> judge,
                                          Stop stop = {}) {
  return search_from(steps_of<Operation>({}, std::move(judge), std::move(stop)), AnyCase(c), shrink_budget);
}

}  // namespace assay::validation
