#include "validation/core/gate.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "validation/core/call_time.h"
#include "validation/core/history.h"
#include "validation/core/size_pattern.h"
#include "validation/core/usual_cause.h"

namespace assay::validation {
namespace {

/// The first block has the given seed; every other block mixes its number into that seed by SplitMix64.
std::uint64_t seed_of_block(std::uint64_t seed, std::int64_t which) {
  if (which == 0) return seed;
  Random mixed(seed + static_cast<std::uint64_t>(which - 1) * 0x9E3779B97F4A7C15U);
  return mixed.bits();
}

Finding too_slow(double seconds, const std::string& where) {
  return Finding::skip(fmt::format("the kernel needs about {:.1g} s a call where {}", seconds, where),
                       SkipCause::too_slow);
}

/// Judges cases one after the other, records each, and stops recording where shrinking begins.
class Judge {
 public:
  Judge(const GateSubject& subject, std::size_t property, const GateOptions& options, PropertyReport& report,
        const Progress& progress, Stop stop)
      : subject_(subject),
        property_(property),
        info_(subject.properties()[property]),
        options_(options),
        report_(report),
        progress_(progress),
        stop_(std::move(stop)) {}

  /// Judges one unit, up to the first failure.
  void unit(std::int64_t unit, Coverage& coverage) {
    const bool has_given = !options_.given.empty();
    const auto extents = subject_.needle_extents();
    const std::int64_t of_planned = units_of(subject_, options_) - 1, first_needle = of_planned - std::ssize(extents);
    if (options_.reach != Reach::none && unit == of_planned) return planned();
    if (options_.reach != Reach::none && unit >= first_needle)
      return needles(extents[static_cast<std::size_t>(unit - first_needle)]);
    if (!has_given || unit > 0) return generated(unit - (has_given ? 1 : 0), coverage);
    for (const GivenCase& one : options_.given)
      if (!report_.failure && (!one.reference_only || info_.against_reference))
        given({one.name, subject_.fitted(property_, one.problem)});
  }

 private:
  SearchSteps steps(std::function<Finding(const AnyCase&)> judge_one) const {
    return {.generate = {},
            .shrinks = [this](const AnyCase& c) { return subject_.shrinks_of(c); },
            .judge = std::move(judge_one),
            .stop = stop_,
            .seconds = options_.shrink_seconds,
            .cuts = [this](const AnyCase& c, std::int64_t size) { return subject_.cuts_of(c, size); }};
  }

  /// The finding on the case itself.
  Finding given(const GivenCase& one) {
    Finding first;
    const auto judge_one = [&](const AnyCase& c) {
      Finding finding = judge_case(c, one.name);
      if (c == one.problem) first = finding;
      return finding;
    };
    auto found = search_from(steps(judge_one), one.problem, options_.shrink_budget);
    if (found) fail(std::move(*found), one.name);
    return first;
  }

  bool is_over() const { return report_.failure || (stop_ && stop_()); }

  /// Judges cases of one large extent, the smaller sizes first.
  void needles(const std::string& extent) {
    const NeedleSizes wanted = subject_.needle_sizes(property_, extent, options_.reach, options_.seed);
    if (wanted.due == 0) return;
    Reached& reached = report_.reached[extent];
    reached.due = wanted.due;
    const double longest = slowest_call(options_.reach, info_.against_reference);
    CallTimes call_times;
    for (const std::int64_t size : wanted.sizes)
      for (std::int64_t next = 0; next != size;) {
        if (is_over()) return;
        next = call_times.next(size, longest);
        if (next == 0)
          return report_.record(too_slow(call_times.at(size), fmt::format("{} = {}", extent, size)), "needle");
        call_times.add(next, needles_of_size(extent, next, reached));
      }
    for (const std::string& line : subject_.hidden(property_, extent)) report_.hidden.push_back(line);
  }

  /// Returns the time of the longest call, in seconds.
  double needles_of_size(const std::string& extent, std::int64_t size, Reached& reached) {
    double longest_call = 0;
    for (const GivenCase& one : subject_.needles(property_, extent, size, options_.seed)) {
      if (is_over()) break;
      const Finding finding = given(one);
      longest_call = std::max(longest_call, finding.longest_call);
      if (finding.relative_error > 0) {
        double& error = report_.errors[extent][size];
        error = std::max(error, finding.relative_error);
      }
      if (finding.verdict != Verdict::skipped)
        reached.merge(subject_.reached(property_, extent, size, one.problem, finding));
    }
    return longest_call;
  }

  void planned() {
    const double longest = slowest_call(options_.reach, true);
    CallTimes call_times(1);  // the work is a number of operations
    const PlannedCase* last = nullptr;
    const auto judge = [&](const PlannedCase& one) {
      const Finding finding = given({one.name, one.make()});
      if (one.work > 0) call_times.add(one.work, finding.longest_call);
    };
    for (const PlannedCase& one : subject_.planned(property_, options_.reach, options_.seed)) {
      const auto foretold = [&] { return one.work > 0 ? call_times.at(one.work) : 0; };
      if (is_over()) return;
      if (foretold() > longest && last != nullptr) judge(*last);  // once more: a busy machine may have delayed the call
      if (is_over()) return;
      if (foretold() > longest) return report_.record(too_slow(foretold(), one.name), "planned");
      judge(one);
      if (one.work > 0) last = &one;
    }
  }

  void generated(std::int64_t which, Coverage& coverage) {
    const std::int64_t first = which * cases_of_unit;
    std::int64_t number = first;
    std::string origin;
    const auto passed_over = [&](const std::string& reason) {
      report_.record(Finding::skip(reason, SkipCause::not_claimed), "generated");
    };
    SearchSteps with_generator = steps([&](const AnyCase& c) {
      if (shrinking_) return judge_case(c, origin);
      origin = subject_.origin_of(c);
      Finding finding = judge_case(c, origin);
      coverage.count(subject_.classes_of(c));
      return finding;
    });
    with_generator.generate = [&](Random& random, int size) {
      return subject_.generated(property_, number++, random, size, passed_over);
    };
    const auto cases = std::min<std::int64_t>(options_.cases - first, cases_of_unit);
    auto found = subject_.first_failure(with_generator, static_cast<int>(cases), seed_of_block(options_.seed, which));
    if (found) fail(shrunk(with_generator, std::move(*found), options_.shrink_budget), origin);
  }

  /// Judges the case alone if there is a budget for further verdicts, looks for a sequence if it passes, and reports
  /// the failure.
  void fail(Counterexample found, const std::string& origin) {
    const bool asks = options_.shrink_budget > 0 && !found.interrupted;
    const bool passes_alone = asks && !fails_alone(subject_, property_, found);
    report(found, origin, passes_alone);
    if (asks && !passes_alone)
      report_.failure->remarks =
          subject_.remark_on(property_, found.problem) + size_patterns(subject_, property_, options_.seed, stop_);
    if (!passes_alone) return;
    if (auto shortest = shortest_failing(subject_, property_, subject_.recent().cases(), options_.shrink_budget, stop_))
      report(std::move(*shortest));
  }

  void report(const Counterexample& found, const std::string& origin, bool passes_alone) {
    const std::string shrunk = shrunk_origin(origin, found.shrinks);
    report_.verdict = found.finding.verdict;
    report_.failure = Failure{found.problem,
                              shrunk + (found.interrupted ? "; shrinking was interrupted" : ""),
                              found.finding.explanation + (passes_alone ? history_text : ""),
                              found.finding.margin,
                              found.first_finding.margin,
                              passes_alone,
                              {},
                              {},
                              cause_of(found.finding)};
    report_.worst.take(found.first_finding.margin);
    report_.worst.take(found.finding.margin);
    report_.worst_case = origin;
  }

  /// A sequence, and its finding, for the failure of a case that passes alone.
  void report(FailingSequence found) {
    Failure& failure = *report_.failure;
    failure.problem = found.cases.back();
    failure.origin =
        shrunk_origin(fmt::format("{}; {} cases in turn", report_.worst_case, found.cases.size()), found.shrinks);
    failure.explanation = found.finding.explanation + history_text;
    failure.margin = found.finding.margin;
    failure.usual_cause = cause_of(found.finding);
    failure.sequence = std::move(found.cases);
  }

  std::string cause_of(const Finding& finding) const {
    return std::string(usual_cause(info_.name, subject_.operation(), finding.clue));
  }

  /// Records the finding, until a case fails: from then on, simpler cases are judged, of which those count as failures
  /// that fail in the same way. One that fails otherwise would explain something else.
  Finding judge_case(const AnyCase& c, const std::string& origin) {
    if (!shrinking_ && progress_) progress_(report_.cases);
    Finding finding = subject_.judge(property_, c);
    if (shrinking_) return finding.verdict == *shrinking_ ? finding : Finding::pass();
    subject_.recent().add(c, subject_.elements_of(c));
    if (info_.against_reference && finding.verdict == Verdict::pass && finding.judged.suffices()) {
      const auto sizes = subject_.sizes_of(c);
      for (const auto& [name, size] : sizes) report_.sizes[name].insert(size);
      report_.together.take(sizes);
    }
    report_.record(finding, origin);
    if (info_.against_reference) count(finding, c, origin);
    if (is_failure(finding.verdict)) shrinking_ = finding.verdict;
    return finding;
  }

  void count(const Finding& finding, const AnyCase& c, const std::string& origin) {
    const bool is_declined = finding.verdict == Verdict::skipped && finding.skip_cause == SkipCause::declined;
    const bool is_ordinary = subject_.is_ordinary(c);
    if (!is_declined && (finding.judged.elements == 0 || !is_ordinary)) return;
    if (is_ordinary && origin.starts_with("generated"))
      ++(is_declined ? report_.ordinary.declined : report_.ordinary.judged);
    for (const auto& [name, size] : subject_.bounding_sizes_of(c)) {
      JudgedSizes& sizes = report_.judged_sizes[name];
      if (is_declined)
        ++sizes.declined[size];
      else
        sizes.add(size, finding.judged.suffices());
    }
  }

  const GateSubject& subject_;
  const std::size_t property_;
  const PropertyInfo& info_;
  const GateOptions& options_;
  PropertyReport& report_;
  const Progress& progress_;
  const Stop stop_;
  std::optional<Verdict> shrinking_;  ///< the verdict on the case that failed
};

}  // namespace

std::int64_t units_of(const GateSubject& subject, const GateOptions& options) {
  return (options.given.empty() ? 0 : 1) + (options.cases + cases_of_unit - 1) / cases_of_unit +
         (options.reach == Reach::none ? 0 : std::ssize(subject.needle_extents()) + 1);
}

PropertyReport run_property(const GateSubject& subject, std::size_t property, const GateOptions& options,
                            Coverage& coverage, const Progress& progress, const GatePart& part) {
  const auto start = std::chrono::steady_clock::now();
  PropertyReport report;
  report.property = subject.properties()[property].name;
  report.claim = subject.properties()[property].claim;
  report.is_far = subject.properties()[property].is_far;
  report.has_many_rows = subject.properties()[property].has_many_rows;
  Judge judge(subject, property, options, report, progress, part.stop);
  const std::int64_t units = std::min(units_of(subject, options) - part.first, part.count);
  for (std::int64_t i = 0; i < units && !report.failure; ++i) judge.unit(part.first + i, coverage);
  report.settle();
  report.seconds = seconds_since(start);
  return report;
}

}  // namespace assay::validation
