// Which share of an extent's sizes the limits of a kernel leave.
#include <gtest/gtest.h>

#include <cstdint>

#include "validation/formula/problem.h"

namespace assay::validation::formula {
namespace {

/// The share of a kernel of a formula x[N, D] that takes at most `most` elements in a row, where the formula has `asked`.
double claimed_of_rows(std::int64_t most, std::int64_t asked) {
  Specification specification{"rows", {{"x", {"N", "D"}}}, {"N", "D"}};
  specification.limits["D"] = most;
  if (most < asked) specification.unclaimed["D"] = asked;
  return claimed_share(specification);
}

TEST(ClaimedShare, CountsTheSizesOfAnExtent) {
  EXPECT_EQ(claimed_of_rows(4097, 4097), 1);
  EXPECT_EQ(claimed_of_rows(1, 1), 1) << "which is the operation's own limit";
  EXPECT_LT(claimed_of_rows(1, 4097), 0.1);
  EXPECT_LT(claimed_of_rows(2, 4097), 0.2);
  EXPECT_GT(claimed_of_rows(3, 4097), 0.2);
  EXPECT_GT(claimed_of_rows(64, 4097), 0.6);
  EXPECT_GT(claimed_of_rows(1, 3), 0.2);
}

}  // namespace
}  // namespace assay::validation::formula
