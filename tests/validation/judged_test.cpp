// What counts as judged, and when a case is judged on enough.
#include "validation/core/judged.h"

#include <gtest/gtest.h>

#include "tests/limits.h"
#include "validation/core/compare.h"

namespace assay::validation {
namespace {

using tests::doubles::infinity;
using tests::doubles::nan;

TEST(Judged, IsWhatHasABoundBelowItsRange) {
  EXPECT_TRUE(is_judged(0, 1));
  EXPECT_TRUE(is_judged(0.999, 1));
  EXPECT_FALSE(is_judged(1, 1));
  EXPECT_FALSE(is_judged(6.1, 1));
  EXPECT_TRUE(is_judged(1e300, no_range)) << "a loss has no limit";
  for (const double range : {0.0, 1.0, no_range}) {
    EXPECT_FALSE(is_judged(infinity, range)) << range;
    EXPECT_FALSE(is_judged(nan, range)) << range;
  }
}

TEST(Judged, IsAnElementThatCanOnlyBe0) {
  EXPECT_TRUE(is_judged(0, 0));
  EXPECT_TRUE(is_judged(0x1p-149, 0)) << "weighted by 0: any other number is caught";
}

TEST(Judged, CountsElementsAndKeepsTheLargestBoundOfThoseJudged) {
  Judged all;
  EXPECT_TRUE(all.add(0.25, 1));
  EXPECT_FALSE(all.add(3, 1));
  EXPECT_FALSE(all.add(nan, 1));
  EXPECT_TRUE(all.add(0.5, 1));
  EXPECT_EQ(all.elements, 4);
  EXPECT_EQ(all.judged, 2);
  EXPECT_EQ(all.bound, 0.5);
}

TEST(Judged, SufficesFromHalfOnAndWhereNoIndexIsMissed) {
  EXPECT_TRUE(Judged{}.suffices()) << "there was nothing to judge";
  EXPECT_TRUE((Judged{4, 2}.suffices()));
  EXPECT_FALSE((Judged{5, 2}.suffices()));
  EXPECT_FALSE((Judged{100, 99, 0.5, true}.suffices()));
}

TEST(Judged, ClaimsWidenByEightBitsOrSixteenRoundings) {
  EXPECT_EQ(widest_share(0x1p-24), 0x1p-8);
  EXPECT_EQ(widest_share(0x1p-10), 0x1p-6);
  EXPECT_EQ(widest_share(1), 0x1p-4) << "a type narrower than bfloat16 is none to compute in";
}

TEST(Judged, IsNotWhatOnlyAWideClaimMakesRight) {
  const auto judged_of = [](double widest, double got, double bound, double range) {
    Comparison comparison(widest);
    comparison.near({"S", 0}, got, 3.0, bound, range);
    EXPECT_EQ(comparison.finding().verdict, Verdict::pass);
    return comparison.finding().judged.judged;
  };
  EXPECT_EQ(judged_of(0x1p-8, 3.01, 0.5, 4), 1) << "off by less than 2^-8 of what the value can be";
  EXPECT_EQ(judged_of(0x1p-8, 3.02, 0.5, 4), 0);
  EXPECT_EQ(judged_of(0x1p-8, 3.01, 0.5, no_range), 1) << "of the value";
  EXPECT_EQ(judged_of(0x1p-8, 3.02, 0.5, no_range), 0);
  EXPECT_EQ(judged_of(no_range, 3.02, 0.5, 4), 1);
}

TEST(Judged, IsWhatFailsThoughClaimsAreWide) {
  Comparison comparison(0x1p-8);
  comparison.near({"S", 0}, 4.0, 3.0, 0.5, 4);
  EXPECT_EQ(comparison.finding().verdict, Verdict::fail);
  EXPECT_EQ(comparison.finding().judged.judged, 1);
}

TEST(Judged, Merges) {
  Judged all{4, 2, 0.25};
  all.merge({10, 1, 0.5, true});
  all.merge({1, 1, 0});
  EXPECT_EQ(all.elements, 15);
  EXPECT_EQ(all.judged, 4);
  EXPECT_EQ(all.bound, 0.5);
  EXPECT_TRUE(all.misses_index);
}

}  // namespace
}  // namespace assay::validation
