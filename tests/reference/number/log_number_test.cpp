#include "reference/number/log_number.h"

#include <gtest/gtest.h>

#include <cmath>

#include "reference/number/big_float.h"

namespace assay::reference {
namespace {

using Log = LogNumber<double>;

TEST(LogNumber, ConstructsFromTheNumberItself) {
  EXPECT_TRUE(Log(0).is_zero());
  EXPECT_TRUE(Log().is_zero());
  EXPECT_EQ(Log(1).log(), 0);
  EXPECT_EQ(Log(7).log(), std::log(7.0));
}

TEST(LogNumber, ZeroIsNeutralAndAbsorbing) {
  const Log x(3);
  EXPECT_EQ(x + Log(0), x);
  EXPECT_EQ(Log(0) + x, x);
  EXPECT_TRUE((Log(0) + Log(0)).is_zero());
  EXPECT_TRUE((x * Log(0)).is_zero());
  EXPECT_TRUE((Log(0) * Log(0)).is_zero());
  EXPECT_EQ(x * Log(1), x);
  EXPECT_EQ(NumberTraits<Log>::value(Log(0)), 0);
}

TEST(LogNumber, AddsFarBeyondTheRangeOfItsNumber) {
  const Log small = Log::from_log(-1e5), sum = small + small;
  EXPECT_DOUBLE_EQ(sum.log(), -1e5 + std::log(2.0));
  EXPECT_EQ((Log::from_log(-1e5) + Log::from_log(-2e5)).log(), -1e5);
  EXPECT_EQ((Log::from_log(-2e5) + Log::from_log(-1e5)).log(), -1e5);
}

TEST(LogNumber, DividesAndCompares) {
  EXPECT_DOUBLE_EQ(NumberTraits<Log>::value(Log(6) / Log(4)), 1.5);
  EXPECT_TRUE(Log(2) < Log(3));
  EXPECT_TRUE(Log(0) < Log(1));
  EXPECT_FALSE(Log(3) < Log(3));
}

TEST(LogNumber, KeepsTheDigitsOfABigFloat) {
  const BigFloat third = NumberTraits<LogNumber<BigFloat>>::value((LogNumber<BigFloat>(1) + LogNumber<BigFloat>(1)) /
                                                                  LogNumber<BigFloat>(6));
  EXPECT_LT(abs(BigFloat(third * 3 - 1)), BigFloat(1e-48));
}

}  // namespace
}  // namespace assay::reference
