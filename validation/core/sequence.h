// Sequences of cases: a failure that no case alone shows is led to again by the cases before it, on a fresh kernel.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "validation/core/property.h"
#include "validation/core/search.h"
#include "validation/core/shrink.h"

namespace assay::validation {

template <class Operation>
using Sequence = std::vector<SharedCase<typename Operation::Case>>;

template <class Operation>
struct FailingSequence {
  Sequence<Operation> cases;
  Finding finding;  ///< of the case that fails
  int shrinks = 0;
};

/// Judges the cases in turn, up to the first that fails, or until it is stopped; the finding of the last one.
template <class Operation>
Finding judge_in_turn(const Property<Operation>& property, const Context<Operation>& context,
                      const Sequence<Operation>& cases, const Stop& stop = {}) {
  Finding finding;
  for (const auto& c : cases) {
    if (stop && stop()) break;
    finding = judge(property, context, *c);
    if (is_failure(finding.verdict)) break;
  }
  return finding;
}

namespace detail {

/// Whether all cases are one and the same.
template <class Case>
bool repeats_one(const std::vector<SharedCase<Case>>& cases) {
  return std::ranges::all_of(cases, [&](const auto& c) { return c == cases.front(); });
}

/// Adds steps that simplify the cases for which is_changed(i), all in the same way, as shrinks_of(cases[from]) does.
template <class Operation, class IsChanged>
void add_case_shrinks(Shrinks<Sequence<Operation>>& steps, const SharedCase<Sequence<Operation>>& cases,
                      std::size_t from, const IsChanged& is_changed) {
  for (auto& shrink : Operation::shrinks_of(*(*cases)[from]))
    steps.push_back([=, shrink = std::move(shrink)]() -> std::optional<Sequence<Operation>> {
      auto simpler = shrink();
      if (!simpler) return std::nullopt;
      const auto shared = std::make_shared<const typename Operation::Case>(std::move(*simpler));
      Sequence<Operation> changed = *cases;
      for (std::size_t i = 0; i < changed.size(); ++i)
        if (is_changed(i)) changed[i] = shared;
      return changed;
    });
}

/// Steps to a simpler sequence: fewer cases, halves before ones; one case many times; simpler cases.
template <class Operation>
Shrinks<Sequence<Operation>> shrinks_of_sequence(const SharedCase<Sequence<Operation>>& cases) {
  Shrinks<Sequence<Operation>> steps;
  const auto select = [](const Sequence<Operation>& from, const std::vector<std::int64_t>& which) {
    Sequence<Operation> some;
    for (const std::int64_t i : which) some.push_back(from[static_cast<std::size_t>(i)]);
    return some;
  };
  add_part_shrinks(steps, cases, std::ssize(*cases), 1, select);
  if (repeats_one(*cases)) {
    add_case_shrinks<Operation>(steps, cases, 0, [](std::size_t) { return true; });
    return steps;
  }
  for (const std::size_t one : {std::size_t{0}, cases->size() - 1})
    steps.push_back([cases, one]() -> std::optional<Sequence<Operation>> {
      return Sequence<Operation>(cases->size(), (*cases)[one]);
    });
  for (std::size_t i = 0; i < cases->size(); ++i)
    add_case_shrinks<Operation>(steps, cases, i, [i](std::size_t at) { return at == i; });
  return steps;
}

}  // namespace detail

/// The shortest sequence found, with at most `budget` verdicts, that fails on a fresh kernel as `cases` do; none if
/// those pass, or if there is no fresh kernel.
template <class Operation>
std::optional<FailingSequence<Operation>> shortest_failing(const Property<Operation>& property,
                                                           const Context<Operation>& context,
                                                           const Sequence<Operation>& cases, int budget,
                                                           const Stop& stop) {
  using Cases = Sequence<Operation>;
  const auto judge_afresh = [&](const detail::AnyCase& any) {
    const auto kernel = context.fresh();
    return kernel ? judge_in_turn(property, context.with(*kernel), any.as<Cases>()) : Finding::pass();
  };
  const auto steps_of = [](const detail::AnyCase& any) {
    const SharedCase<Cases> shared(any.data, &any.as<Cases>());
    return detail::any_shrinks(detail::shrinks_of_sequence<Operation>(shared));
  };
  const detail::AnyCase all = detail::AnyCase::of(cases);
  Finding finding = judge_afresh(all);
  if (!is_failure(finding.verdict)) return std::nullopt;
  const detail::AnyCounterexample found =
      detail::shrunk({{}, steps_of, judge_afresh, stop}, {all, std::move(finding)}, budget);
  // Twice, so that no line is printed that may pass.
  if (!is_failure(judge_afresh(found.problem).verdict)) return std::nullopt;
  return FailingSequence<Operation>{found.problem.as<Cases>(), found.finding, found.shrinks};
}

}  // namespace assay::validation
