// Runs that prove nothing though no property fails: all numbers are one, or the declaration leaves next to no case.
#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "tests/matchers.h"
#include "tests/validation/sample_report.h"
#include "validation/core/draw.h"
#include "validation/ctc/operation.h"
#include "validation/report/gate_text.h"
#include "validation/report/json.h"
#include "validation/report/junit.h"

namespace assay::validation {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

GateRecord run_that_returned(const std::vector<double>& first, const std::vector<double>& second) {
  GateRecord run = sample_run("mine");
  run.properties = {sample_property("loss", Verdict::pass, 0.25), sample_property("gradient", Verdict::pass, 0.5)};
  run.properties[0].returned.add_all(first);
  run.properties[1].returned.add_all(second);
  return run;
}

TEST(Mistrust, OfResultsThatAreAllOneNumber) {
  const std::vector<double> zeros(8), nans(8, nan), negative(8, -0.0);
  EXPECT_THAT(why_mistrusted(run_that_returned(zeros, zeros)),
              HasSubstr("every number that the kernel returned is 0:"));
  EXPECT_THAT(why_mistrusted(run_that_returned(zeros, negative)), HasSubstr("is 0:"));
  EXPECT_THAT(why_mistrusted(run_that_returned(nans, nans)), HasSubstr("is nan:"));
  EXPECT_EQ(why_mistrusted(run_that_returned(zeros, {0, 0, 0, 0, 0, 0, 0})), "") << "15 numbers are few";
  EXPECT_EQ(why_mistrusted(run_that_returned(zeros, nans)), "");
  EXPECT_EQ(why_mistrusted(run_that_returned(zeros, std::vector<double>(8, 1e-300))), "");
  EXPECT_EQ(why_mistrusted(run_that_returned({0, 0, 0, 0, 0, 0, 0, 1}, zeros)), "");
  EXPECT_EQ(why_mistrusted(run_that_returned({}, {})), "");
}

TEST(Mistrust, EndsTheRunAsAMistrustedPropertyDoes) {
  Report report;
  report.complete = true;
  report.runs = {run_that_returned(std::vector<double>(16), {})};
  EXPECT_EQ(exit_status(report), 1);
  EXPECT_THAT(conclusion_text(report.runs[0], 1, false), HasSubstr("\nmistrusted: every number"));
  EXPECT_THAT(to_junit(report), HasSubstr("type=\"mistrusted\">every number"));
  const Report again = report_from_json(to_json(report), "it");
  EXPECT_EQ(again.runs[0].properties[0].returned, report.runs[0].properties[0].returned);
  EXPECT_EQ(exit_status(again), 1);
  report.runs[0].properties[1].returned.add(1);
  EXPECT_EQ(exit_status(report), 0);
  EXPECT_THAT(conclusion_text(report.runs[0], 1, false), Not(HasSubstr("mistrusted:")));
}

/// Its last line must not read like that of a pass.
TEST(Closing, OfARunThatWasInterrupted) {
  Report report;
  report.runs = {run_that_returned({0, 1}, {})};
  EXPECT_EQ(exit_status(report), 0);
  report.runs[0].units_done = report.runs[0].units - 1;
  EXPECT_EQ(exit_status(report), 1);
  EXPECT_THAT(conclusion_text(report.runs[0], 1, false),
              AllOf(HasSubstr("\nmine: interrupted: no verdict; 0 of 2 properties had failed after "),
                    Not(HasSubstr("properties failed"))));
}

/// A kernel may be slow on purpose, to be spared the sizes where it is wrong.
TEST(Closing, NamesTheSizesForWhichTheKernelIsTooSlow) {
  GateRecord run = run_that_returned({0, 1}, {});
  EXPECT_THAT(conclusion_text(run, 1, false), HasSubstr("\nmine: 0 of 2 properties failed, 0 mistrusted, in 1.0 s\n"));
  for (const std::string size : {"B = 131073", "T = 4097"}) {
    const std::string reason = "the kernel needs about 2 s a call where " + size;
    run.properties[0].skipped[reason] = 1;
    run.properties[0].skip_causes[reason] = SkipCause::too_slow;
  }
  EXPECT_THAT(conclusion_text(run, 1, false),
              HasSubstr(" 0 mistrusted, not judged at B = 131073 and 1 more, for which it is too slow, in 1.0 s\n"));
  run.properties[1].verdict = Verdict::fail;
  EXPECT_THAT(conclusion_text(run, 1, false), HasSubstr("\nmine: 1 of 2 properties failed, 0 mistrusted, in 1.0 s\n"));
}

TEST(Mistrust, SaysNothingOfAShardOrBesideAFailure) {
  GateRecord run = run_that_returned(std::vector<double>(16), {});
  run.shard = {0, 2};
  EXPECT_EQ(why_mistrusted(run), "");
  run.shard = {};
  run.properties[1].verdict = Verdict::fail;
  EXPECT_EQ(why_mistrusted(run), "");
}

TEST(Mistrust, OfResultsThatAreIllConditioned) {
  GateRecord run = run_that_returned({0, 1}, {});
  const auto why = [&](std::int64_t results, std::int64_t weighed, std::int64_t ill_conditioned) {
    run.properties[1].judged = {results, results};
    run.properties[1].evidence.weighed = weighed;
    run.properties[1].evidence.ill_conditioned = ill_conditioned;
    return why_mistrusted(run);
  };
  EXPECT_EQ(why(1000, 1000, 900), "");
  EXPECT_THAT(why(1000, 1000, 901), HasSubstr("90.1 % of the results are ill-conditioned, so that noise"));
  EXPECT_EQ(why(1000, 800, 800), "") << "others are exact";
  EXPECT_EQ(why(99, 99, 99), "") << "too few results";
}

TEST(Mistrust, OfADeclarationThatLeavesNextToNothing) {
  GateRecord run = run_that_returned({0, 1}, {});
  run.claimed = 0.2;
  EXPECT_EQ(why_mistrusted(run), "");
  run.claimed = 0.03;
  EXPECT_THAT(why_mistrusted(run),
              HasSubstr("leave 3 % of the drawn cases: expected a fifth, 20 %, or more of 400 cases"));
  run.claimed = nan;
  EXPECT_NE(why_mistrusted(run), "");
}

/// A kernel of CTC that declares what `declare` says.
double claimed_by(const std::function<void(CtcKernelInfo&)>& declare) {
  class Declared final : public CtcKernel {
   public:
    explicit Declared(const std::function<void(CtcKernelInfo&)>& declare) { declare(info_); }
    const CtcKernelInfo& info() const override { return info_; }
    void run(const metal::AnyCtcProblem&, const metal::AnyCtcOutput&, const CtcRequest&) const override {}

   private:
    CtcKernelInfo info_;
  };
  return claimed_share<CtcOperation>(Declared(declare));
}

TEST(Mistrust, CountsSizesAndValuesOfADeclarationAlone) {
  EXPECT_EQ(claimed_by([](CtcKernelInfo&) {}), 1);
  EXPECT_EQ(claimed_by([](CtcKernelInfo& info) { info.support.declined = {"log_probs", "empty", "reduction_sum"}; }), 1)
      << "a right kernel may have few options";
  EXPECT_LT(claimed_by([](CtcKernelInfo& info) { info.support.limits = {{"C", 1}}; }), 0.05);
  EXPECT_LT(claimed_by([](CtcKernelInfo& info) { info.support.limits = {{"T", 0}}; }), 0.05);
  EXPECT_LT(claimed_by([](CtcKernelInfo& info) { info.largest_activation = 1e-300; }), 0.05);
  EXPECT_GT(claimed_by([](CtcKernelInfo& info) { info.support.limits = {{"T", 8}, {"C", 100}}; }), 0.2);
  EXPECT_GT(claimed_by([](CtcKernelInfo& info) { info.support.limits = {{"S", 34}}; }), 0.8);
}

}  // namespace
}  // namespace assay::validation
