#include "validation/core/sequence.h"

#include <algorithm>
#include <utility>

#include "validation/core/shrink.h"

namespace assay::validation {
namespace {

using SharedSequence = std::shared_ptr<const Sequence>;

/// Whether all cases are one and the same.
bool repeats_one(const Sequence& cases) {
  return std::ranges::all_of(cases, [&](const AnyCase& c) { return c == cases.front(); });
}

/// Adds steps that simplify the cases for which is_changed(i), all in the same way, as the steps of cases[from] do.
template <class IsChanged>
void add_case_shrinks(const GateSubject& subject, Shrinks<Sequence>& steps, const SharedSequence& cases,
                      std::size_t from, const IsChanged& is_changed) {
  for (auto& shrink : subject.shrinks_of((*cases)[from]))
    steps.push_back([=, shrink = std::move(shrink)]() -> std::optional<Sequence> {
      const AnyCase simpler = shrink();
      if (!simpler) return std::nullopt;
      Sequence changed = *cases;
      for (std::size_t i = 0; i < changed.size(); ++i)
        if (is_changed(i)) changed[i] = simpler;
      return changed;
    });
}

/// Steps to a simpler sequence: fewer cases, halves before ones; one case many times; simpler cases.
Shrinks<Sequence> shrinks_of_sequence(const GateSubject& subject, const SharedSequence& cases) {
  Shrinks<Sequence> steps;
  const auto select = [](const Sequence& from, const std::vector<std::int64_t>& which) {
    Sequence some;
    for (const std::int64_t i : which) some.push_back(from[static_cast<std::size_t>(i)]);
    return some;
  };
  add_part_shrinks(steps, cases, std::ssize(*cases), 1, select);
  if (repeats_one(*cases)) {
    add_case_shrinks(subject, steps, cases, 0, [](std::size_t) { return true; });
    return steps;
  }
  for (const std::size_t one : {std::size_t{0}, cases->size() - 1})
    steps.emplace_back([cases, one]() -> std::optional<Sequence> { return Sequence(cases->size(), (*cases)[one]); });
  for (std::size_t i = 0; i < cases->size(); ++i)
    add_case_shrinks(subject, steps, cases, i, [i](std::size_t at) { return at == i; });
  return steps;
}

}  // namespace

Finding judge_in_turn(const GateSubject& subject, std::size_t property, const Sequence& cases, const Stop& stop) {
  Finding finding;
  for (const AnyCase& c : cases) {
    if (stop && stop()) break;
    finding = subject.judge(property, c);
    if (is_failure(finding.verdict)) break;
  }
  return finding;
}

std::optional<FailingSequence> shortest_failing(const GateSubject& subject, std::size_t property, const Sequence& cases,
                                                int budget, const Stop& stop) {
  const auto judge_afresh = [&](const AnyCase& any) {
    const auto fresh = subject.fresh();
    return fresh ? judge_in_turn(*fresh, property, any.as<Sequence>()) : Finding::pass();
  };
  const auto steps_of = [&](const AnyCase& any) {
    return any_shrinks(shrinks_of_sequence(subject, any.share<Sequence>()));
  };
  const auto found = search_from({{}, steps_of, judge_afresh, stop}, AnyCase(cases), budget);
  if (!found) return std::nullopt;
  // Twice, so that no line is printed that may pass.
  if (!is_failure(judge_afresh(found->problem).verdict)) return std::nullopt;
  return FailingSequence{found->problem.as<Sequence>(), found->finding, found->shrinks};
}

}  // namespace assay::validation
