#include "reference/number/binary_weight.h"

#include <gtest/gtest.h>

namespace assay::reference {
namespace {

TEST(BinaryWeight, AddsAndMultipliesExponentialsExactly) {
  using Traits = NumberTraits<BinaryWeight>;
  BinaryWeight x = Traits::exp(70);
  x += Traits::exp(-70);
  x *= Traits::exp(71);
  EXPECT_EQ(x, BinaryWeight(Rational((Integer(1) << 141) + 2)));
  EXPECT_TRUE(Traits::is_zero(BinaryWeight(0)) && !Traits::is_positive(BinaryWeight(0)) && Traits::is_positive(x));
}

TEST(BinaryWeight, RefusesAnExponentThatIsNotWhole) {
  EXPECT_EQ(NumberTraits<BinaryWeight>::exp(-3).value(), Rational(1, 8));
  EXPECT_THROW(NumberTraits<BinaryWeight>::exp(Rational(1, 2)), std::domain_error);
  EXPECT_THROW(NumberTraits<BinaryWeight>::exp(Rational(1 << 21)), std::domain_error);
}

}  // namespace
}  // namespace assay::reference
