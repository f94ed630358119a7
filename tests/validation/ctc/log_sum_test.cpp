// Sums of three exponentials, and the inequalities that growths promise.
#include "validation/ctc/log_sum.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "tests/limits.h"
#include "validation/core/random.h"

namespace assay::validation {
namespace {

using tests::doubles::infinity;

TEST(LogSum, IsTheLogarithmOfTheSum) {
  const LogSum sum = log_sum_of({std::log(0.5), log_zero, std::log(0.25)});
  EXPECT_DOUBLE_EQ(sum.log, std::log(0.75));
  EXPECT_EQ(sum.terms, 2);
  EXPECT_NEAR(sum.smallest, 1.0 / 3, 1e-15);
  EXPECT_EQ(sum.shares[1], 0);
}

TEST(LogSum, OfNothingIsZero) {
  const LogSum sum = log_sum_of({log_zero, log_zero, log_zero});
  EXPECT_EQ(sum.log, log_zero);
  EXPECT_EQ(sum.terms, 0);
  EXPECT_EQ(sum.growth({1, 2, 3}), 0);
}

TEST(LogSum, LeavesTheRangeOfExponentials) {
  EXPECT_DOUBLE_EQ(log_sum_of({-1e5, -1e5, -1e5}).log, -1e5 + std::log(3.0));
  EXPECT_EQ(log_sum_of({-1e5, 0, log_zero}).log, 0);
}

/// Terms may grow or shrink. The sum changes most where all terms change in one direction.
TEST(LogSum, GrowsByTheMeanOfItsTermsUpAndDown) {
  Random random(1);
  for (int i = 0; i < 1000; ++i) {
    const std::array<double, 3> logs = {random.real(-9, 0), random.real(-9, 0), random.real(-9, 0)};
    const std::array<double, 3> growths = {random.real(0, 3), random.real(0, 3), random.real(0, 3)};
    std::array<double, 3> up = logs, down = logs;
    for (std::size_t k = 0; k < 3; ++k) {
      up[k] += std::log1p(growths[k]);
      down[k] -= std::log1p(growths[k]);
    }
    const LogSum sum = log_sum_of(logs);
    const double error = std::log1p(sum.growth(growths));
    EXPECT_NEAR(log_sum_of(up).log - sum.log, error, 1e-12);
    EXPECT_LE(sum.log - log_sum_of(down).log, error);
  }
}

TEST(Growths, AreAtLeastWhatTheySay) {
  constexpr double all = 1 - 1e-15;  // but for roundings of double
  for (double x = 1e-9; x < 100; x *= 1.1) {
    EXPECT_GE(growth_of(x), std::expm1(x) * all);
    EXPECT_GE(error_of(x), std::log1p(x) * all);
    EXPECT_LE(growth_of(x) * all, std::expm1(x) * (1 + x * x / 5));
    EXPECT_LE(error_of(x) * all, std::log1p(x) * (1 + x * x / 5));
  }
  EXPECT_EQ(growth_of(0), 0);
  EXPECT_EQ(growth_of(infinity), infinity);
}

TEST(Growths, AreInfiniteWhereNothingIsClaimed) {
  EXPECT_DOUBLE_EQ(compounded(0.5, 1), 2);
  EXPECT_EQ(compounded(infinity, 0), infinity);
  EXPECT_EQ(weighted(0, 7), 0);
  EXPECT_EQ(weighted(0, infinity), infinity) << "the share may have underflowed";
}

}  // namespace
}  // namespace assay::validation
