// A failure that no case alone shows is led to again by a short sequence of cases, and by the line that carries it.
#include "validation/core/sequence.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "tests/matchers.h"
#include "tests/validation/ctc/kernels.h"
#include "validation/core/report.h"
#include "validation/core/subject_of.h"
#include "validation/registry.h"

namespace assay::validation {
namespace {

const CtcProperty& history() {
  return property_named("history");
}

std::shared_ptr<const GateSubject> fault_called(const std::string& name) {
  return subject_called<CtcOperation>("fault:" + name, 50);
}

PropertyReport report_on_fault(const std::string& fault, int shrink_budget = 500) {
  Coverage coverage;
  const auto subject = fault_called(fault);
  return run_property(*subject, subject->index_of("history"), {.shrink_budget = shrink_budget, .given = {}}, coverage);
}

bool fails_afresh(const std::string& fault, const Sequence& cases) {
  const auto subject = fault_called(fault);
  return is_failure(judge_in_turn(*subject, subject->index_of("history"), cases).verdict);
}

TEST(Sequence, OfTwoCasesShowsWhatALargerProblemLeft) {
  const auto report = report_on_fault("wrong-after-larger-t");
  ASSERT_TRUE(report.failure.has_value());
  EXPECT_TRUE(report.failure->passes_alone);
  const auto& sequence = report.failure->sequence;
  ASSERT_EQ(sequence.size(), 2U);
  EXPECT_GT(sequence[0].as<CtcCase>().T, sequence[1].as<CtcCase>().T);
  EXPECT_EQ(report.failure->problem, sequence[1]);
  EXPECT_THAT(report.failure->origin, HasSubstr("2 cases in turn"));
  EXPECT_THAT(report.failure->explanation, HasSubstr("this case alone passes"));
  EXPECT_TRUE(fails_afresh("wrong-after-larger-t", sequence));
  EXPECT_FALSE(fails_afresh("wrong-after-larger-t", {sequence[1]})) << "the line would pass without the first case";
}

TEST(Sequence, OfOneCaseManyTimesShowsWhatComesOfOneCallInMany) {
  const auto report = report_on_fault("wrong-on-call-97");
  ASSERT_TRUE(report.failure.has_value());
  const auto& sequence = report.failure->sequence;
  ASSERT_GE(sequence.size(), 4U) << "97 calls, 32 for a tiny case";
  EXPECT_EQ(sequence.front(), sequence.back());
  const auto subject = fault_called("wrong-on-call-97");
  const std::string line = reproducer(*subject, subject->index_of("history"), *report.failure);
  EXPECT_THAT(line, HasSubstr("kernel=fault:wrong-on-call-97 times=" + std::to_string(sequence.size()) + " T="));
  EXPECT_THAT(line, Not(HasSubstr(std::string(then))));
}

TEST(Sequence, IsNotLookedForWithoutABudgetOrAFreshKernel) {
  EXPECT_TRUE(report_on_fault("wrong-after-larger-t", 0).failure->sequence.empty());
  const auto kernel = kernel_called<CtcOperation>("fault:wrong-after-larger-t");
  const Sequence cases(3, AnyCase(three_of_four_paths()));
  const SubjectOf<CtcOperation> without_another({.kernel = *kernel});
  EXPECT_FALSE(shortest_failing(without_another, without_another.index_of("history"), cases, 100, {}).has_value());
  const auto subject = fault_called("wrong-after-larger-t");
  EXPECT_FALSE(shortest_failing(*subject, subject->index_of("history"), cases, 100, {}).has_value())
      << "these cases pass";
}

TEST(History, IsSkippedWhereAKernelCannotBeStartedAfresh) {
  const auto kernel = plain_ctc_kernel();
  const Finding finding = judge(history(), CtcContext{.kernel = *kernel}, three_of_four_paths());
  EXPECT_EQ(finding.verdict, Verdict::skipped);
  EXPECT_THAT(finding.explanation, HasSubstr("cannot be started afresh"));
}

TEST(Reproducer, NamesTheCasesInTurn) {
  const AnyCase small = three_of_four_paths(), equal = three_of_four_paths(), other = too_few_frames();
  const auto subject = subject_called<CtcOperation>("cpu", 50);
  const std::string words =
      words_of_replay_line(reproducer(*subject, subject->index_of("history"), {small, equal, other, small}));
  EXPECT_THAT(parts_of(words),
              ElementsAre("operation=ctc property=history kernel=cpu times=2 " + subject->to_text(small),
                          subject->to_text(other), subject->to_text(small)));
  EXPECT_THAT(parts_of("T=1"), ElementsAre("T=1"));
}

TEST(RecentCases, ForgetTheOldest) {
  RecentCases recent;
  CtcCase c = three_of_four_paths();
  recent.add(c, std::size_t{1} << 30);
  EXPECT_TRUE(recent.cases().empty()) << "a case too large to keep";
  for (int i = 0; i < 100; ++i) {
    c.T = i;
    recent.add(c, 100'000);
  }
  EXPECT_LE(recent.cases().size(), 11U);
  EXPECT_EQ(recent.cases().back().as<CtcCase>().T, 99);
}

}  // namespace
}  // namespace assay::validation
