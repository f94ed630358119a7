#include "reference/number/exact.h"

#include <gtest/gtest.h>

namespace assay::reference {
namespace {

TEST(Rational, ConvertsExactly) {
  using RationalTraits = NumberTraits<Rational>;
  EXPECT_EQ(RationalTraits::from_real(0.375), Rational(3, 8));
  EXPECT_EQ(RationalTraits::from_real(0.1f), Rational(13421773, 134217728));
  EXPECT_EQ(RationalTraits::to_double(Rational(1, 3)), 1.0 / 3.0);
  EXPECT_EQ(RationalTraits::to_string(Rational(355, 113)), "355/113");
  EXPECT_THROW(RationalTraits::nan(), std::domain_error);
}

TEST(Integer, DoesNotOverflow) {
  Integer factorial = 1;
  for (int n = 2; n <= 25; ++n) factorial *= n;
  EXPECT_EQ(factorial, Integer(15'511'210'043) * 1'000'000'000'000'000 + 330'985'984'000'000);
}

}  // namespace
}  // namespace assay::reference
