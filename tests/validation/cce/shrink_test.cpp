// Shrinking of linear cross-entropy beyond what every operation's does (tests/validation/operations/shrink_test.cpp).
#include "validation/cce/operation.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/limits.h"
#include "tests/matchers.h"
#include "tests/validation/cce/kernels.h"
#include "tests/validation/operations/shrinking.h"

namespace assay::validation {
namespace {

using tests::infinity;

/// What has to stay is given in few bits.
TEST(CceShrink, RoundsValues) {
  CceCase c = two_entries();
  c.hidden = {0.123456F, 0.7654321F};
  c.weight = {-17.1234F, 1e-30F, 3, 0};
  c.bias = {-infinity, 0.3F};
  const auto kept = [](const CceCase& d) {
    return d.H == 2 && d.V == 2 && d.N == 1 && d.hidden[1] > 0.6F && d.weight[0] < -3;
  };
  steps_to_the_end<CceOperation>(c, kept);
  EXPECT_THAT(c.hidden, ElementsAre(0, 1));
  EXPECT_THAT(c.weight, ElementsAre(-4, 0, 0, 0));
  EXPECT_THAT(c.bias, IsEmpty());
}

TEST(CceShrink, TriesTheBoldestFirst) {
  const auto first = CceOperation::shrinks_of(three_tokens()).front()();
  ASSERT_TRUE(first.has_value());
  EXPECT_EQ(first->N, 1);
}

/// Drops neither an entry that is a target nor the last entry with a finite bias.
TEST(CceShrink, KeepsTheWordsThatAProblemNeeds) {
  CceCase c = three_tokens();
  c.targets = {3, -100, 3};
  steps_to_the_end<CceOperation>(c, [](const CceCase& d) { return d.N == 3; });
  EXPECT_EQ(c.V, 1) << "the target alone";
  c = select_tokens(three_tokens(), {1});
  c.bias = {-infinity, 0.5F, -infinity, -infinity};
  steps_to_the_end<CceOperation>(c, [](const CceCase& d) { return d.bias.size() > 1 && d.bias[0] == -infinity; });
  EXPECT_EQ(c.V, 2);
  EXPECT_TRUE(std::isfinite(c.bias[1]));
}

}  // namespace
}  // namespace assay::validation
