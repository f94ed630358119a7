// The verdict on a property over many cases, where the kernel declined some of them when it was called.
#include "validation/core/summary.h"

#include <gtest/gtest.h>

#include <map>

#include "tests/matchers.h"

namespace assay::validation {
namespace {

PropertySummary summary(int passed, int declined_ones, int not_claimed) {
  PropertySummary all;
  for (int i = 0; i < passed; ++i) all.record(Finding::pass(), "generated");
  for (int i = 0; i < declined_ones; ++i)
    all.record(Finding::skip("more than 9 frames", SkipCause::declined), "generated");
  for (int i = 0; i < not_claimed; ++i) all.record(Finding::not_claimed("do a bias"), "generated");
  all.settle();
  return all;
}

TEST(Summary, PassesWhereTheKernelDeclinedHalfOrLess) {
  EXPECT_EQ(summary(5, 5, 0).verdict, Verdict::pass);
  EXPECT_EQ(summary(5, 5, 90).verdict, Verdict::pass);
  EXPECT_EQ(summary(0, 0, 3).verdict, Verdict::skipped);
  EXPECT_EQ(summary(0, 6, 7).verdict, Verdict::skipped) << "the property asks for what is not claimed";
}

TEST(Summary, IsMistrustedWhereTheKernelDeclinedMost) {
  EXPECT_EQ(summary(5, 6, 0).verdict, Verdict::mistrusted);
  EXPECT_EQ(summary(5, 6, 90).verdict, Verdict::mistrusted);
  EXPECT_EQ(summary(0, 1, 0).verdict, Verdict::mistrusted);
  EXPECT_EQ(summary(0, 6, 5).verdict, Verdict::mistrusted);
  EXPECT_THAT(summary(5, 6, 90).why_mistrusted(), HasSubstr("declined 6 of the 11 cases"));
}

TEST(Summary, CountsWhatWasDeclinedOverAllItsParts) {
  PropertySummary all = summary(1, 2, 0);
  ASSERT_EQ(all.verdict, Verdict::mistrusted);
  all.merge(summary(9, 0, 0));
  all.settle();
  EXPECT_EQ(all.verdict, Verdict::pass);
  EXPECT_EQ(all.why_mistrusted(), "");
  all.merge(summary(0, 30, 0));
  all.settle();
  EXPECT_EQ(all.verdict, Verdict::mistrusted);
}

/// Cases of 10 elements each, `thin` of which are judged on 4.
PropertySummary measured(int full, int thin) {
  PropertySummary all;
  for (int i = 0; i < full + thin; ++i) {
    Finding finding = Finding::pass();
    finding.judged = {10, i < full ? 10 : 4, 0.5};
    all.record(finding, "generated");
  }
  all.settle();
  return all;
}

TEST(Summary, PassesWhereHalfOfTheCasesAreJudged) {
  EXPECT_EQ(measured(5, 5).verdict, Verdict::pass);
  EXPECT_EQ(measured(5, 5).judged.elements, 100);
  EXPECT_EQ(measured(5, 5).judged.judged, 70);
  EXPECT_EQ(measured(5, 5).measured, 10);
  EXPECT_EQ(measured(5, 5).thin, 5);
}

TEST(Summary, IsMistrustedWhereTooLittleIsJudgedInMostCases) {
  EXPECT_EQ(measured(5, 6).verdict, Verdict::mistrusted);
  EXPECT_EQ(measured(0, 1).verdict, Verdict::mistrusted);
  EXPECT_THAT(measured(5, 6).why_mistrusted(), HasSubstr("too little was judged in 6 of 11 cases"));
  PropertySummary all = measured(5, 6);
  for (int i = 0; i < 100; ++i) all.record(Finding::pass(), "generated");
  all.settle();
  EXPECT_EQ(all.verdict, Verdict::mistrusted) << "cases without elements prove nothing";
}

TEST(Summary, CountsWhatWasJudgedOverAllItsParts) {
  PropertySummary all = measured(0, 2);
  all.merge(measured(2, 0));
  all.settle();
  EXPECT_EQ(all.verdict, Verdict::pass);
  EXPECT_EQ(all.why_mistrusted(), "");
  all.merge(measured(0, 1));
  all.settle();
  EXPECT_EQ(all.verdict, Verdict::mistrusted);
  EXPECT_EQ(all.judged.judged, 2 * 4 + 2 * 10 + 4);
}

/// Cases of ordinary values up to `judged` that count, and so many of each larger size that do not.
PropertySummary judged_up_to(std::int64_t judged, const std::map<std::int64_t, int>& thin) {
  PropertySummary all = measured(40, 0);
  for (std::int64_t size = 1; size <= judged; ++size) all.judged_sizes["D"].add(size, true);
  for (const auto& [size, count] : thin)
    for (int i = 0; i < count; ++i) all.judged_sizes["D"].add(size, false);
  all.settle();
  return all;
}

TEST(Summary, IsMistrustedWhereNoCaseIsJudgedAboveSomeSize) {
  const PropertySummary all = judged_up_to(128, {{129, 3}, {255, 2}});
  EXPECT_EQ(all.verdict, Verdict::mistrusted);
  EXPECT_THAT(all.why_mistrusted(), HasSubstr("too little was judged wherever D is above 128, in 5 cases"));
  EXPECT_THAT(all.why_mistrusted(), HasSubstr("Declare a limit of 128 for D"));
  EXPECT_EQ(judged_up_to(128, {{100, 90}, {128, 4}}).verdict, Verdict::pass) << "others of these sizes are judged";
  EXPECT_EQ(judged_up_to(128, {{255, 1}}).verdict, Verdict::pass) << "one may be thin by chance";
  EXPECT_EQ(judged_up_to(128, {{192, 2}}).verdict, Verdict::pass) << "between two sizes of a run is that much";
  EXPECT_EQ(judged_up_to(128, {{193, 2}}).verdict, Verdict::mistrusted) << "and no more";
  EXPECT_EQ(judged_up_to(128, {{129, 31}}).verdict, Verdict::pass);
  EXPECT_EQ(judged_up_to(128, {{129, 32}}).verdict, Verdict::mistrusted) << "a fifth of the cases";
}

TEST(Summary, IsMistrustedWhereFewAreJudgedAboveSomeSize) {
  const auto with_judged_by_chance = [](int cases) {
    PropertySummary all = judged_up_to(128, {{255, 4}, {1000, 5}});
    for (int i = 0; i < cases; ++i) all.judged_sizes["D"].add(2000 + i, true);
    all.settle();
    return all;
  };
  EXPECT_THAT(with_judged_by_chance(1).why_mistrusted(), HasSubstr("wherever D is above 128, in 9 cases"));
  EXPECT_EQ(with_judged_by_chance(2).verdict, Verdict::mistrusted);
  EXPECT_EQ(with_judged_by_chance(3).verdict, Verdict::pass) << "a fifth, and more";
}

TEST(Summary, IsMistrustedWhereTheKernelDeclinesAllButSizesOfOneOrTwo) {
  for (const std::int64_t judged : {1, 2, 3}) {
    PropertySummary all = judged_up_to(judged, {});
    ++all.judged_sizes["D"].declined[4096];
    all.sizes["D"] = {1, judged};
    EXPECT_EQ(all.why_mistrusted().empty(), judged > 2);
    all.sizes["D"].insert(64);
    EXPECT_EQ(all.why_mistrusted(), "") << "as of a kernel that declines large numbers, at any size";
  }
}

TEST(Summary, IsMistrustedWhereTheKernelDeclinesOrdinaryValues) {
  PropertySummary all = judged_up_to(5, {});
  all.ordinary = {.judged = 4, .declined = 4};
  EXPECT_EQ(all.why_mistrusted(), "");
  all.ordinary.declined = 5;
  EXPECT_THAT(all.why_mistrusted(), HasSubstr("declined 5 of 9 generated cases with ordinary values"));
}

TEST(Summary, JudgesSizesOverAllItsParts) {
  PropertySummary all = judged_up_to(100, {{255, 2}});
  ASSERT_EQ(all.verdict, Verdict::mistrusted);
  all.merge(judged_up_to(255, {}));
  all.settle();
  EXPECT_EQ(all.verdict, Verdict::pass);
  EXPECT_EQ(all.why_mistrusted(), "");
}

TEST(Summary, KeepsAMistrustOfTheReference) {
  PropertySummary all = summary(1, 0, 0), other = summary(0, 2, 0);
  all.record(Finding::mistrust("  the reference is not certain"), "generated");
  all.merge(other);
  all.settle();
  EXPECT_THAT(all.mistrust, HasSubstr("the reference is not certain"));
}

TEST(ShrunkOrigin, CountsSteps) {
  EXPECT_EQ(shrunk_origin("generated", 0), "generated");
  EXPECT_EQ(shrunk_origin("generated", 1), "generated, shrunk in 1 step");
  EXPECT_EQ(shrunk_origin("generated", 12), "generated, shrunk in 12 steps");
}

}  // namespace
}  // namespace assay::validation
