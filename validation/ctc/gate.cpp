#include "validation/ctc/gate.h"

#include <fmt/format.h>

#include <chrono>

#include "validation/ctc/search.h"

namespace assay::validation {
namespace {

/// Puts the verdicts on single cases together into a report on the property.
class Recorder {
 public:
  Recorder(CtcPropertyReport& report, const CtcProgress& progress) : report_(report), progress_(progress) {}

  void record(const Finding& finding, const std::string& origin) {
    if (progress_) progress_(report_.cases);
    ++report_.cases;
    if (finding.verdict == Verdict::skipped) ++report_.skipped[finding.explanation];
    if (finding.verdict == Verdict::mistrusted) report_.mistrust = finding.explanation;
    if (is_failure(finding.verdict)) return;
    if (finding.margin.share > report_.worst.share) report_.worst_case = origin;
    report_.worst.take(finding.margin);
  }

  void fail(const CtcCounterexample& found, const std::string& origin) {
    const std::string shrunk =
        found.shrinks > 0 ? fmt::format("{}, shrunk in {} steps", origin, found.shrinks) : origin;
    report_.verdict = found.finding.verdict;
    report_.failure = CtcFailure{found.problem, shrunk, found.finding.explanation};
    report_.worst.take(found.finding.margin);
    report_.worst_case = shrunk;
  }

 private:
  CtcPropertyReport& report_;
  const CtcProgress& progress_;
};

/// Judges cases one after the other, records each, and stops recording where shrinking begins.
class Judge {
 public:
  Judge(const CtcProperty& property, const CtcContext& context, Recorder& recorder, std::string origin)
      : property_(property), context_(context), recorder_(recorder), origin_(std::move(origin)) {}

  Finding operator()(const CtcCase& c, Coverage* coverage) {
    Finding finding = judge(property_, context_, c);
    if (shrinking_) return finding;
    if (coverage != nullptr) coverage->count(c);
    recorder_.record(finding, origin_);
    shrinking_ = is_failure(finding.verdict);
    return finding;
  }

 private:
  const CtcProperty& property_;
  const CtcContext& context_;
  Recorder& recorder_;
  std::string origin_;
  bool shrinking_ = false;
};

bool judge_given(const CtcProperty& property, const CtcContext& context, const CtcGateOptions& options,
                 Recorder& recorder) {
  for (const auto& given : options.given) {
    if (given.reference_only && !property.against_reference) continue;
    Judge judge_one(property, context, recorder, given.name);
    const auto found =
        search_from(given.problem, options.shrink_budget, [&](const CtcCase& c) { return judge_one(c, nullptr); });
    if (found) {
      recorder.fail(*found, given.name);
      return false;
    }
  }
  return true;
}

void judge_generated(const CtcProperty& property, const CtcContext& context, const CtcGateOptions& options,
                     Recorder& recorder, Coverage& coverage) {
  Judge judge_one(property, context, recorder, "generated");
  const auto found = search(property.profile, options.cases, options.seed, options.shrink_budget,
                            [&](const CtcCase& c) { return judge_one(c, &coverage); });
  if (found) recorder.fail(*found, "generated");
}

void settle(CtcPropertyReport& report) {
  if (report.failure) return;
  if (report.cases == 0) report.skipped["there was no case to judge it on"] = 0;
  int skipped = 0;
  for (const auto& [reason, count] : report.skipped) skipped += count;
  if (!report.mistrust.empty()) {
    report.verdict = Verdict::mistrusted;
  } else if (skipped == report.cases) {
    report.verdict = Verdict::skipped;
  }
}

}  // namespace

CtcPropertyReport run_property(const CtcProperty& property, const CtcContext& context, const CtcGateOptions& options,
                               Coverage& coverage, const CtcProgress& progress) {
  const auto start = std::chrono::steady_clock::now();
  CtcPropertyReport report;
  report.property = property.name;
  report.claim = property.claim;
  Recorder recorder(report, progress);
  if (judge_given(property, context, options, recorder) && options.cases > 0) {
    judge_generated(property, context, options, recorder, coverage);
  }
  settle(report);
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return report;
}

}  // namespace assay::validation
