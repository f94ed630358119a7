#include "validation/formula/counterexample.h"

#include "validation/core/search.h"

namespace assay::validation::formula {
namespace {

using validation::detail::AnyCase;

/// The steps that keep the verdict: a case that fails otherwise would explain something else.
validation::detail::SearchSteps steps_of(const Subject& subject, const Property& property, Verdict verdict,
                                         std::uint64_t seed) {
  const auto shrinks = [&subject](const AnyCase& any) {
    std::vector<std::function<AnyCase()>> steps;
    for (auto& step : shrinks_of(subject.specification, any.as<Case>(), subject.trace))
      steps.emplace_back([step] { return AnyCase::of(step()); });
    return steps;
  };
  const auto judge_one = [&subject, &property, verdict, seed](const AnyCase& any) {
    Finding finding = judge(subject, property, any.as<Case>(), seed);
    return finding.verdict == verdict ? finding : Finding::pass();
  };
  return {.generate = {}, .shrinks = shrinks, .judge = judge_one, .stop = {}, .seconds = 5};
}

}  // namespace

Counterexample counterexample(const Subject& subject, const Property& property, const Case& c, const Finding& first,
                              std::uint64_t seed, int budget) {
  const auto found = validation::detail::shrunk(steps_of(subject, property, first.verdict, seed),
                                                {.problem = AnyCase::of(c), .finding = first}, budget);
  // Twice, for a kernel that fails at every so many calls.
  const auto fails = [&](const Case& one) {
    return is_failure(judge(subject, property, one, seed).verdict) &&
           is_failure(judge(subject, property, one, seed).verdict);
  };
  const auto& smallest = found.problem.as<Case>();
  if (budget == 0 || fails(smallest)) return {smallest, found.finding, found.shrinks};
  return {c, first, 0, found.shrinks == 0 || !fails(c)};
}

}  // namespace assay::validation::formula
