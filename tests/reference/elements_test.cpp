#include "reference/elements.h"

#include <gtest/gtest.h>

#include <vector>

#include "reference/number/exact.h"

namespace assay::reference {
namespace {

/// A 16-bit type as kernels have them: it converts to float.
struct Tiny {
  float value;
  operator float() const { return value; }  // NOLINT(google-explicit-constructor)
};

TEST(Elements, OfNarrowTypesAreTakenExactly) {
  const std::vector<Tiny> array{{0.5F}, {0x1.8p-24F}, {-65504.0F}};
  const std::vector<Rational> numbers = elements<Rational>(std::span(array));
  EXPECT_EQ(numbers, (std::vector<Rational>{Rational(1, 2), Rational(0x1.8p-24), Rational(-65504)}));
}

TEST(Elements, AreRoundedToNumbersOfFewerDigits) {
  EXPECT_EQ(element<float>(0.1), 0.1F);
  EXPECT_EQ(element<double>(0.1F), static_cast<double>(0.1F));
}

}  // namespace
}  // namespace assay::reference
