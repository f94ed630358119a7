// The gate: judges a property of a kernel on given and on generated cases, and reports the result.
//
// The work on a property is a sequence of units: the given cases, if there are any, then blocks of generated cases,
// each with its own seed, then needle cases (validation/core/reach.h), one extent a unit, then pairs of large extents.
// So a long run can be sharded, interrupted and resumed (validation/report/run_gate.h).
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "validation/core/coverage.h"
#include "validation/core/draw.h"
#include "validation/core/history.h"
#include "validation/core/property.h"
#include "validation/core/reach.h"
#include "validation/core/run.h"
#include "validation/core/search.h"
#include "validation/core/sequence.h"
#include "validation/core/sizes.h"
#include "validation/core/summary.h"
#include "validation/core/verdict.h"

namespace assay::validation {

/// A case with a name: real input, or a size that generated cases do not reach.
template <class Operation>
struct NamedCase {
  std::string name;
  typename Operation::Case problem;
  /// Too large for all properties but those that compare with the reference.
  bool reference_only = false;
};

template <class Operation>
struct GateOptions {
  int cases = 100;  ///< generated cases for each property
  std::uint64_t seed = 1;
  int shrink_budget = 2000;  ///< further verdicts to spend on shrinking a failure; 0 keeps the first failing case
  std::vector<NamedCase<Operation>> given;
  Reach reach = Reach::none;  ///< of the needle cases
};

template <class Operation>
struct Failure {
  typename Operation::Case problem;
  std::string origin;  ///< "generated, shrunk in 12 steps" or the name of the given case
  std::string explanation;
  Margin margin = {};                 ///< of `problem`
  Margin first_margin = {};           ///< of the case as first met, before shrinking
  bool passes_alone = false;          ///< the failure depends on the calls before
  Sequence<Operation> sequence = {};  ///< the cases that lead to such a failure on a fresh kernel; empty if not found
};

template <class Operation>
struct PropertyReport : PropertySummary {
  std::optional<Failure<Operation>> failure;

  void fail(const Counterexample<Operation>& found, const std::string& origin, bool passes_alone) {
    const std::string shrunk = shrunk_origin(origin, found.shrinks);
    verdict = found.finding.verdict;
    failure = Failure<Operation>{found.problem,
                                 shrunk + (found.interrupted ? "; shrinking was interrupted" : ""),
                                 found.finding.explanation + (passes_alone ? history_text : ""),
                                 found.finding.margin,
                                 found.first_finding.margin,
                                 passes_alone,
                                 {}};
    worst.take(found.first_finding.margin);
    worst.take(found.finding.margin);
    worst_case = origin;
  }

  /// Takes a sequence, and its finding, for the failure of a case that passes alone.
  void take(FailingSequence<Operation> found) {
    failure->problem = *found.cases.back();
    failure->origin = shrunk_origin(fmt::format("{}; {} cases in turn", worst_case, found.cases.size()), found.shrinks);
    failure->explanation = found.finding.explanation + history_text;
    failure->margin = found.finding.margin;
    failure->sequence = std::move(found.cases);
  }
};

/// Called before each case with the number of cases judged so far.
using Progress = std::function<void(std::int64_t)>;

/// The number of generated cases in a unit.
inline constexpr int cases_of_unit = 200;

/// The number of units of a property.
template <class Operation>
std::int64_t units_of(const GateOptions<Operation>& options) {
  return (options.given.empty() ? 0 : 1) + (options.cases + cases_of_unit - 1) / cases_of_unit +
         (options.reach == Reach::none ? 0 : std::ssize(Operation::needle_extents) + 1);
}

/// A part of the work on a property.
struct GatePart {
  std::int64_t first = 0;  ///< the first unit
  std::int64_t count = no_limit;
  Stop stop = {};
};

namespace detail {

/// The first block has the given seed; every other block mixes its number into that seed by SplitMix64.
inline std::uint64_t seed_of_block(std::uint64_t seed, std::int64_t block) {
  if (block == 0) return seed;
  std::uint64_t mixed = seed + static_cast<std::uint64_t>(block) * 0x9E3779B97F4A7C15U;
  mixed = (mixed ^ (mixed >> 30U)) * 0xBF58476D1CE4E5B9U;
  mixed = (mixed ^ (mixed >> 27U)) * 0x94D049BB133111EBU;
  return mixed ^ (mixed >> 31U);
}

/// Judges cases one after the other, records each, and stops recording where shrinking begins.
template <class Operation>
class Judge {
 public:
  using Case = typename Operation::Case;

  Judge(const Property<Operation>& property, const Context<Operation>& context, PropertyReport<Operation>& report,
        const Progress& progress)
      : property_(property), context_(context), report_(report), progress_(progress) {}

  /// Judges one unit, up to the first failure.
  void unit(const GateOptions<Operation>& options, std::int64_t unit, Coverage& coverage, const Stop& stop) {
    const bool has_given = !options.given.empty();
    const std::int64_t of_pairs = units_of(options) - 1,
                       first_needle = of_pairs - std::ssize(Operation::needle_extents);
    if (options.reach != Reach::none && unit == of_pairs) return pairs(options, stop);
    if (options.reach != Reach::none && unit >= first_needle)
      return needles(Operation::needle_extents[static_cast<std::size_t>(unit - first_needle)], options, stop);
    if (!has_given || unit > 0) return generated(options, unit - (has_given ? 1 : 0), coverage, stop);
    for (const auto& one : options.given)
      if (!report_.failure && (!one.reference_only || property_.against_reference)) given(one, options, stop);
  }

 private:
  void given(const NamedCase<Operation>& one, const GateOptions<Operation>& options, const Stop& stop) {
    const auto judge_one = [&](const Case& c) { return judge_case(c, one.name, nullptr); };
    auto found = search_from<Operation>(one.problem, options.shrink_budget, judge_one, stop);
    if (found) fail(std::move(*found), one.name, options, stop);
  }

  /// Judges cases of one large extent, the smaller sizes first.
  void needles(const NeedleExtent& extent, const GateOptions<Operation>& options, const Stop& stop) {
    const std::int64_t limit = context_.kernel.info().support.reach;
    const auto sizes = property_.against_reference ? reference_sizes(extent, options.reach, options.seed)
                                                   : needle_sizes(extent, options.reach, false);
    Reached& reached = report_.reached[extent.name];
    reached.due = sizes.back();
    const double longest = slowest_call(options.reach, property_.against_reference);
    CallTimes call_times;
    for (const std::int64_t size : sizes) {
      if (size > limit) continue;
      for (std::int64_t next = 0; next != size;) {
        if (report_.failure || (stop && stop())) return;
        next = call_times.next(size, longest);
        if (next == 0)
          return report_.record(
              Finding::skip(slow_text(call_times.at(size), fmt::format("{} = {}", extent.name, size))), "needle");
        longest_call = 0;
        needle(extent, next, options, stop);
        call_times.add(next, longest_call);
        reached.merge(judged_);
      }
    }
  }

  void needle(const NeedleExtent& extent, std::int64_t size, const GateOptions<Operation>& options, const Stop& stop) {
    NamedCase<Operation> one{fmt::format("{} = {}", extent.name, size), Operation::needle(extent.name, size), false};
    fit_to_claims<Operation>(context_.kernel, one.problem);
    needle_ = {extent.index, size};
    given(one, options, stop);
  }

  /// Judges cases of several large extents, those of little work first, if the property compares with the reference.
  void pairs(const GateOptions<Operation>& options, const Stop& stop) {
    if (!property_.against_reference) return;
    const double longest = slowest_call(options.reach, true);
    needle_ = {};
    CallTimes call_times;
    for (NamedCase<Operation>& one : Operation::paired_cases(options.reach, options.seed)) {
      if (report_.failure || (stop && stop())) return;
      if (largest_extent(one.problem) > context_.kernel.info().support.reach) continue;
      const std::int64_t work = Operation::work_of(one.problem);
      const double foretold = call_times.at(work);
      if (foretold > longest) return report_.record(Finding::skip(slow_text(foretold, one.name)), "pair");
      longest_call = 0;
      fit_to_claims<Operation>(context_.kernel, one.problem);
      given(one, options, stop);
      call_times.add(work, longest_call);
    }
  }

  static std::int64_t largest_extent(const Case& c) {
    std::int64_t largest = 0;
    for (const auto& [name, size] : sizes_of(c)) largest = std::max(largest, size);
    return largest;
  }

  static std::vector<std::pair<const char*, std::int64_t>> sizes_of(const Case& c) {
    std::vector<std::pair<const char*, std::int64_t>> sizes;
    if constexpr (HasFields<Case>)
      for (const NeedleExtent& extent : Operation::needle_extents)
        sizes.emplace_back(extent.name, extent_of<typename Case::Fields>(extent.name, statement_of(c)));
    return sizes;
  }

  void generated(const GateOptions<Operation>& options, std::int64_t block, Coverage& coverage, const Stop& stop) {
    const auto judge_one = [&](const Case& c) { return judge_case(c, "generated", &coverage); };
    const auto passed_over = [&](const std::string& reason) { report_.record(Finding::skip(reason), "generated"); };
    const auto draw_one = [&](Random& random, int size) {
      return draw_claimed<Operation>(random, size, property_.profile, context_.kernel, passed_over);
    };
    const auto cases = std::min<std::int64_t>(options.cases - block * cases_of_unit, cases_of_unit);
    auto found = search_with<Operation>(draw_one, static_cast<int>(cases), seed_of_block(options.seed, block),
                                        options.shrink_budget, judge_one, stop);
    if (found) fail(std::move(*found), "generated", options, stop);
  }

  /// Judges the case alone if there is a budget for further verdicts, looks for a sequence if it passes, and reports
  /// the failure.
  void fail(Counterexample<Operation> found, const std::string& origin, const GateOptions<Operation>& options,
            const Stop& stop) {
    const bool asks = options.shrink_budget > 0 && !found.interrupted;
    const bool passes_alone = asks && !fails_alone(property_, context_, found);
    report_.fail(found, origin, passes_alone);
    if (!passes_alone) return;
    if (auto shortest = shortest_failing(property_, context_, context_.recent->cases(), options.shrink_budget, stop))
      report_.take(std::move(*shortest));
  }

  Finding judge_case(const Case& c, const std::string& origin, Coverage* coverage) {
    if (!shrinking_ && progress_) progress_(report_.cases);
    Finding finding = judge(property_, context_, c);
    if (shrinking_) return finding;
    if (coverage != nullptr) coverage->count(classes_of<Operation>(c));
    if constexpr (HasFields<Case>) context_.recent->add(c, elements_of_dtype(c));
    judged_ = {};
    if (finding.verdict != Verdict::skipped)
      judged_ = {needle_.size, finding.noticed ? finding.noticed->elements.count(needle_.index) : 0, 0,
                 finding.noticed ? finding.noticed->terms.count(needle_.index) : 0};
    if (property_.against_reference && finding.verdict == Verdict::pass)
      for (const auto& [name, size] : sizes_of(c)) report_.sizes[name].insert(size);
    report_.record(finding, origin);
    shrinking_ = is_failure(finding.verdict);
    return finding;
  }

  const Property<Operation>& property_;
  const Context<Operation>& context_;
  PropertyReport<Operation>& report_;
  const Progress& progress_;
  bool shrinking_ = false;
  struct {
    char index = 'a';
    std::int64_t size = 0;
  } needle_;        ///< the needle case at hand
  Reached judged_;  ///< by the case that was judged last
};

}  // namespace detail

/// Judges one property on the given cases, then on the generated ones, up to the first failure, or on the units of
/// `part` alone. `coverage` counts the generated cases.
template <class Operation>
PropertyReport<Operation> run_property(const Property<Operation>& property, const Context<Operation>& context,
                                       const GateOptions<Operation>& options, Coverage& coverage,
                                       const Progress& progress = {}, const GatePart& part = {}) {
  const auto start = std::chrono::steady_clock::now();
  PropertyReport<Operation> report;
  report.property = property.name;
  report.claim = property.claim;
  detail::Judge<Operation> judge(property, context, report, progress);
  const std::int64_t units = std::min(units_of(options) - part.first, part.count);
  for (std::int64_t i = 0; i < units && !report.failure; ++i) judge.unit(options, part.first + i, coverage, part.stop);
  report.settle();
  report.seconds = seconds_since(start);
  return report;
}

}  // namespace assay::validation
