#include "reference/number/precision.h"

#include <gtest/gtest.h>

#include <thread>

namespace assay::reference {
namespace {

TEST(PrecisionScope, SetsAndRestores) {
  EXPECT_EQ(precision_digits(), 50);
  {
    PrecisionScope outer(80);
    EXPECT_EQ(precision_digits(), 80);
    {
      PrecisionScope inner(20);
      EXPECT_EQ(precision_digits(), 20);
    }
    EXPECT_EQ(precision_digits(), 80);
    EXPECT_EQ(precision_bits(), 267);  // 80 log2(10) = 265.75
  }
  EXPECT_EQ(precision_digits(), 50);
}

TEST(PrecisionScope, RefusesWhatDoesNotFit) {
  EXPECT_THROW(PrecisionScope(min_digits - 1), std::invalid_argument);
  EXPECT_THROW(PrecisionScope(max_digits + 1), std::invalid_argument);
  EXPECT_EQ(precision_digits(), 50);
}

TEST(PrecisionScope, BelongsToItsThread) {
  PrecisionScope scope(100);
  int seen = 0;
  std::thread other([&seen] {
    PrecisionScope inner(30);
    seen = precision_digits();
  });
  other.join();
  EXPECT_EQ(seen, 30);
  EXPECT_EQ(precision_digits(), 100);
}

}  // namespace
}  // namespace assay::reference
