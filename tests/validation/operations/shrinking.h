// Shrinking by hand: the first step that keeps what is wanted, again and again.
#pragma once

#include <functional>
#include <optional>

namespace assay::validation {

/// The first step of `c` that leads to a case for which `is_wanted` holds, if there is one.
template <class O, class Case = typename O::Case>
std::optional<Case> next_shrink(const Case& c, const std::function<bool(const Case&)>& is_wanted) {
  for (const auto& step : O::shrinks_of(c))
    if (auto smaller = step(); smaller && is_wanted(*smaller)) return smaller;
  return std::nullopt;
}

/// The number of steps until there is none left.
template <class O, class Case = typename O::Case>
int steps_to_the_end(Case& c, const std::function<bool(const typename O::Case&)>& is_wanted) {
  int steps = 0;
  for (auto smaller = next_shrink<O>(c, is_wanted); smaller && steps < 10'000; smaller = next_shrink<O>(c, is_wanted)) {
    c = *smaller;
    ++steps;
  }
  return steps;
}

}  // namespace assay::validation
