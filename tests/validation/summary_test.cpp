// The verdict on a property over many cases, where the kernel declined some of them when it was called.
#include "validation/core/summary.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/matchers.h"

namespace assay::validation {
namespace {

PropertySummary summary(int passed, int declined_ones, int not_claimed) {
  PropertySummary all;
  for (int i = 0; i < passed; ++i) all.record(Finding::pass(), "generated");
  const std::string reason = fmt::format("{}too long", declined);
  for (int i = 0; i < declined_ones; ++i) all.record(Finding::skip(reason), "generated");
  for (int i = 0; i < not_claimed; ++i) all.record(Finding::skip("the kernel does not do a bias"), "generated");
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
  EXPECT_THAT(summary(5, 6, 90).mistrust, HasSubstr("declined 6 of the 11 cases"));
}

TEST(Summary, CountsWhatWasDeclinedOverAllItsParts) {
  PropertySummary all = summary(1, 2, 0);
  ASSERT_EQ(all.verdict, Verdict::mistrusted);
  all.merge(summary(9, 0, 0));
  all.settle();
  EXPECT_EQ(all.verdict, Verdict::pass);
  EXPECT_EQ(all.mistrust, "");
  all.merge(summary(0, 30, 0));
  all.settle();
  EXPECT_EQ(all.verdict, Verdict::mistrusted);
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
