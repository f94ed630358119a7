// Verdicts and margins: NaN is the worst of all margins and stays it.
#include "validation/core/verdict.h"
#include "tests/limits.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace assay::validation {
namespace {

using tests::doubles::infinity;
using tests::doubles::nan;

TEST(Verdict, IsAFailureWhenSomethingWasWrongAndOnlyThen) {
  EXPECT_TRUE(is_failure(Verdict::fail));
  EXPECT_TRUE(is_failure(Verdict::error));
  EXPECT_FALSE(is_failure(Verdict::pass));
  EXPECT_FALSE(is_failure(Verdict::skipped));
  EXPECT_FALSE(is_failure(Verdict::mistrusted));
}

TEST(Verdict, HasAName) {
  EXPECT_EQ(name_of(Verdict::pass), "pass");
  EXPECT_EQ(name_of(Verdict::skipped), "skipped");
  EXPECT_EQ(name_of(Verdict::mistrusted), "mistrusted");
  EXPECT_EQ(name_of(Verdict::error), "error");
  EXPECT_EQ(name_of(Verdict::fail), "fail");
}

TEST(Margin, KeepsTheWorst) {
  Margin margin;
  margin.take(0.25, "first");
  margin.take(0.125, "smaller");
  EXPECT_EQ(margin.share, 0.25);
  EXPECT_EQ(margin.place, "first");
  margin.take({0.5, "second"});
  EXPECT_EQ(margin.place, "second");
  margin.take(infinity, "third");
  EXPECT_EQ(margin.place, "third");
}

TEST(Margin, OfEqualsKeepsTheFirst) {
  Margin margin;
  margin.take(0.25, "first");
  margin.take(0.25, "second");
  EXPECT_EQ(margin.place, "first");
}

TEST(Margin, TakesNanForTheWorstAndNeverLetsGoOfIt) {
  Margin margin;
  margin.take(infinity, "infinite");
  margin.take(nan, "nan");
  EXPECT_TRUE(std::isnan(margin.share));
  EXPECT_EQ(margin.place, "nan");
  for (const double share : {0.0, 1.0, infinity, nan}) {
    margin.take(share, "later");
    EXPECT_TRUE(std::isnan(margin.share)) << share;
    EXPECT_EQ(margin.place, "nan") << share;
  }
}

TEST(Finding, CarriesItsReason) {
  EXPECT_EQ(Finding::pass().verdict, Verdict::pass);
  EXPECT_EQ(Finding::pass({0.5, "there"}).margin.place, "there");
  EXPECT_EQ(Finding::fail("why", {2, "there"}).verdict, Verdict::fail);
  EXPECT_EQ(Finding::fail("why", {2, "there"}).margin.share, 2);
  EXPECT_EQ(Finding::error("why").verdict, Verdict::error);
  EXPECT_EQ(Finding::skip("why").verdict, Verdict::skipped);
  EXPECT_EQ(Finding::mistrust("why").verdict, Verdict::mistrusted);
  for (const auto& finding :
       {Finding::fail("why"), Finding::error("why"), Finding::skip("why"), Finding::mistrust("why")})
    EXPECT_EQ(finding.explanation, "why");
}

TEST(Finding, TakesFurtherComparisonsOfACase) {
  Finding all = Finding::pass({0.25, "first"}), second = Finding::pass({0.5, "second"});
  all.judged = {4, 4, 0.125};
  second.judged = {2, 1, 0.5};
  all.take(second);
  EXPECT_EQ(all.verdict, Verdict::pass);
  EXPECT_EQ(all.margin.place, "second");
  EXPECT_EQ(all.judged.elements, 6);
  EXPECT_EQ(all.judged.judged, 5);
  all.take(Finding::fail("why", {2, "third"}));
  all.take(Finding::fail("another", {9, "fourth"}));
  EXPECT_EQ(all.verdict, Verdict::fail);
  EXPECT_EQ(all.explanation, "why") << "the first failure stays";
  EXPECT_EQ(all.margin.place, "third");
  EXPECT_EQ(all.judged.elements, 6);
}

}  // namespace
}  // namespace assay::validation
