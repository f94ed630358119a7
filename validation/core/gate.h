// The gate: every property on a kernel, over generated cases and over given ones, and what came of it.
#pragma once

#include <fmt/format.h>

#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "validation/core/coverage.h"
#include "validation/core/property.h"
#include "validation/core/search.h"
#include "validation/core/verdict.h"

namespace assay::validation {

/// A case with a name: real input, or a size that generated cases do not reach.
template <class Operation>
struct NamedCase {
  std::string name;
  typename Operation::Case problem;
  /// Judged by the properties against the reference alone: too large for all the others.
  bool reference_only = false;
};

template <class Operation>
struct GateOptions {
  int cases = 100;  ///< generated cases for each property
  std::uint64_t seed = 1;
  int shrink_budget = 2000;  ///< further verdicts to spend on shrinking a failure; 0 keeps the first failing case
  std::vector<NamedCase<Operation>> given;
};

template <class Operation>
struct Failure {
  typename Operation::Case problem;
  std::string origin;  ///< "generated, shrunk in 12 steps" or the name of the given case
  std::string explanation;
};

/// What came of a property, but for the case that failed.
struct PropertySummary {
  std::string property;
  std::string claim;
  Verdict verdict = Verdict::pass;
  int cases = 0;
  std::map<std::string, int> skipped;  ///< reason and count
  std::string mistrust;
  Margin worst;
  std::string worst_case;  ///< where the worst margin was met
  double seconds = 0;

  /// A verdict on one more case, which `origin` names.
  void record(const Finding& finding, const std::string& origin);
  /// The verdict on all of them, unless one failed.
  void settle();
};

template <class Operation>
struct PropertyReport : PropertySummary {
  std::optional<Failure<Operation>> failure;

  void fail(const Counterexample<Operation>& found, const std::string& origin) {
    const std::string shrunk =
        found.shrinks > 0 ? fmt::format("{}, shrunk in {} steps", origin, found.shrinks) : origin;
    verdict = found.finding.verdict;
    failure = Failure<Operation>{found.problem, shrunk, found.finding.explanation};
    worst.take(found.finding.margin);
    worst_case = shrunk;
  }
};

/// Called before each case with the number of cases judged so far.
using Progress = std::function<void(int)>;

namespace detail {

/// Judges cases one after the other, records each, and stops recording where shrinking begins.
template <class Operation>
class Judge {
 public:
  using Case = typename Operation::Case;

  Judge(const Property<Operation>& property, const Context<Operation>& context, PropertyReport<Operation>& report,
        const Progress& progress)
      : property_(property), context_(context), report_(report), progress_(progress) {}

  /// Over a case that is given; false where it fails.
  bool given(const NamedCase<Operation>& one, int shrink_budget) {
    const auto judge_one = [&](const Case& c) { return judge_case(c, one.name, nullptr); };
    const auto found = search_from<Operation>(one.problem, shrink_budget, judge_one);
    if (found) report_.fail(*found, one.name);
    return !found;
  }

  void generated(const GateOptions<Operation>& options, Coverage& coverage) {
    const auto judge_one = [&](const Case& c) { return judge_case(c, "generated", &coverage); };
    const auto draw_one = [&](Random& random, int size) { return draw(random, size); };
    const auto found =
        validation::search<Operation>(draw_one, options.cases, options.seed, options.shrink_budget, judge_one);
    if (found) report_.fail(*found, "generated");
  }

 private:
  /// A case that the kernel claims to do, where one is met soon; those passed over are counted with the reason.
  Case draw(Random& random, int size) {
    for (int left = 100;; --left) {
      Case c = Operation::generate(random, size, property_.profile);
      Operation::adapt(context_.kernel, c);
      const std::string reason = Operation::why_not(context_.kernel, c);
      if (reason.empty() || left == 0) return c;
      report_.record(Finding::skip(reason), "generated");
    }
  }

  Finding judge_case(const Case& c, const std::string& origin, Coverage* coverage) {
    if (!shrinking_ && progress_) progress_(report_.cases);
    Finding finding = judge(property_, context_, c);
    if (shrinking_) return finding;
    if (coverage != nullptr) coverage->count(Operation::classes_of(c));
    report_.record(finding, origin);
    shrinking_ = is_failure(finding.verdict);
    return finding;
  }

  const Property<Operation>& property_;
  const Context<Operation>& context_;
  PropertyReport<Operation>& report_;
  const Progress& progress_;
  bool shrinking_ = false;
};

}  // namespace detail

/// One property over the given cases, then over the generated ones, up to the first failure.
/// `coverage` counts the generated cases.
template <class Operation>
PropertyReport<Operation> run_property(const Property<Operation>& property, const Context<Operation>& context,
                                       const GateOptions<Operation>& options, Coverage& coverage,
                                       const Progress& progress = {}) {
  const auto start = std::chrono::steady_clock::now();
  PropertyReport<Operation> report;
  report.property = property.name;
  report.claim = property.claim;
  detail::Judge<Operation> judge(property, context, report, progress);
  bool passed = true;
  for (const auto& given : options.given)
    if (passed && (!given.reference_only || property.against_reference))
      passed = judge.given(given, options.shrink_budget);
  if (passed && options.cases > 0) judge.generated(options, coverage);
  if (!report.failure) report.settle();
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return report;
}

}  // namespace assay::validation
