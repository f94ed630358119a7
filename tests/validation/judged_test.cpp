// What counts as judged, and when a case is judged on enough.
#include "validation/core/judged.h"

#include <gtest/gtest.h>

#include "tests/limits.h"

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
