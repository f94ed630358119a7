// Types that values are kept in: what rounding to them adds to an error, against numbers that are drawn.
#include "validation/formula/kept.h"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

#include "validation/core/infinity.h"
#include "validation/core/random.h"

namespace assay::validation::formula {
namespace {

constexpr Kept all[] = {Kept::float32, Kept::float16, Kept::bfloat16, Kept::tf32};

/// The first 11 bits of a normal number.
double truncated(double x) {
  if (x == 0) return 0;
  const int last = std::ilogb(x) - 10;
  return std::ldexp(std::trunc(std::ldexp(x, -last)), last);
}

TEST(FormulaKept, TheErrorBoundsTheRoundingOfWhatIsOff) {
  Random random(1);
  for (int i = 0; i < 20'000; ++i)
    for (const Kept type : all) {
      double x = std::ldexp(random.gaussian(), static_cast<int>(random.integer(-12, 12)));
      if (random.chance(0.5)) x = kept(type, x);
      const double e =
          random.chance(0.2) ? 0 : std::abs(x) * std::ldexp(random.real(), -static_cast<int>(random.integer(1, 16)));
      const double off = x + e * (random.chance(0.3) ? 1 : random.real(-1, 1));
      const double bound = e + kept_error(type, x, e, false);
      const double slight = 0x1p-50 * std::abs(x);
      EXPECT_LE(std::abs(kept(type, off) - x), bound + slight) << name_of(type) << " " << x << " " << e;
      const double cut = type == Kept::tf32 ? truncated(off) : x;
      EXPECT_LE(std::abs(cut - x), bound + slight) << x << " " << e;
    }
}

TEST(FormulaKept, TheErrorIsMet) {
  EXPECT_EQ(kept_error(Kept::bfloat16, 1 + 0x1p-8, 0, false), 0x1p-8 * (1 + 0x1p-8) + 0x1p-133);
  EXPECT_EQ(kept(Kept::bfloat16, 1 + 0x1p-8), 1);  // a tie goes to even
  EXPECT_EQ(kept(Kept::tf32, 1 + 0x1p-11), 1);
  EXPECT_EQ(kept(Kept::tf32, 1 + 0x1.8p-11), 1 + 0x1p-10);
}

TEST(FormulaKept, AnExactNumberOfTheTypeIsNotRounded) {
  for (const Kept type : all) {
    EXPECT_EQ(kept_error(type, 0, 0, true), 0);
    EXPECT_EQ(kept_error(type, -2.5, 0, false), 0);
    EXPECT_EQ(kept_error(type, -infinity, 0, false), 0);
    EXPECT_GT(kept_error(type, 1 + 0x1p-30, 0, false), 0);
  }
  EXPECT_EQ(kept_error(Kept::float16, 2.5, 0x1p-20, false), 0x1p-20);
  EXPECT_GT(kept_error(Kept::tf32, 2.5, 0x1p-20, false), 0x1p-10);
}

TEST(FormulaKept, WhatDoesNotFitHasNoBound) {
  EXPECT_EQ(kept_error(Kept::float16, 65000, 1000, false), infinity);
  EXPECT_LT(kept_error(Kept::bfloat16, 65000, 1000, false), 300);
}

TEST(FormulaKept, SubnormalNumbersMayBecomeZero) {
  EXPECT_GE(kept_error(Kept::float16, 0x1p-16, 0, true), 0x1p-16);
  EXPECT_EQ(kept_error(Kept::float16, 0x1p-16, 0, false), 0);
}

TEST(FormulaKept, AnotherNameIsRefused) {
  EXPECT_EQ(kept_called("tf32"), Kept::tf32);
  EXPECT_THROW(kept_called("bf16"), std::invalid_argument);
}

}  // namespace
}  // namespace assay::validation::formula
