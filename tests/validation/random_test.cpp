// The generator's sequences are part of what a seed means: they are the same everywhere, and stay as they are.
#include "validation/core/random.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <set>
#include <vector>

namespace assay::validation {
namespace {

constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();

std::vector<std::uint64_t> first_bits(std::uint64_t seed, int count) {
  Random random(seed);
  std::vector<std::uint64_t> values;
  for (int i = 0; i < count; ++i) values.push_back(random.bits());
  return values;
}

/// The published first outputs of SplitMix64 for these seeds.
TEST(Random, IsSplitMix64) {
  EXPECT_EQ(first_bits(0, 4), (std::vector<std::uint64_t>{0xE220A8397B1DCDAFU, 0x6E789E6AA1B965F4U, 0x06C45D188009454FU,
                                                          0xF88BB8A8724C81ECU}));
  EXPECT_EQ(first_bits(1234567, 4), (std::vector<std::uint64_t>{6457827717110365317U, 3203168211198807973U,
                                                                9817491932198370423U, 4593380528125082431U}));
}

TEST(Random, SkipsAsManyBitsAsItsNumbersTake) {
  Random drawn(7);
  Random skipped(7);
  drawn.gaussian();
  drawn.gaussian();
  drawn.integer(0, 9);
  drawn.real();
  skipped.skip(6);
  EXPECT_EQ(drawn.bits(), skipped.bits());
}

TEST(Random, DrawsIntegersByRemainder) {
  Random bits(5);
  Random integers(5);
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(integers.integer(-3, 9), -3 + static_cast<std::int64_t>(bits.bits() % 13));
  }
}

TEST(Random, ReachesBothEndsOfARange) {
  Random random(1);
  std::set<std::int64_t> seen;
  for (int i = 0; i < 300; ++i) seen.insert(random.integer(-2, 2));
  EXPECT_EQ(seen, (std::set<std::int64_t>{-2, -1, 0, 1, 2}));
  for (const std::int64_t only : {least, std::int64_t{-1}, std::int64_t{0}, most}) {
    EXPECT_EQ(random.integer(only, only), only);
  }
}

TEST(Random, DrawsFromAllOf64Bits) {
  Random random(2);
  bool negative = false;
  bool positive = false;
  for (int i = 0; i < 64; ++i) {
    const std::int64_t drawn = random.integer(least, most);
    negative = negative || drawn < -(most / 2);
    positive = positive || drawn > most / 2;
  }
  EXPECT_TRUE(negative);
  EXPECT_TRUE(positive);
}

RC_GTEST_PROP(Random, KeepsIntegersWithinTheirRange, (std::uint64_t seed, std::int64_t a, std::int64_t b)) {
  const auto ends = {least, least + 1, most - 1, most, std::min(a, b), std::max(a, b)};
  Random random(seed);
  for (const std::int64_t low : ends) {
    for (const std::int64_t high : ends) {
      if (high < low) continue;
      const std::int64_t drawn = random.integer(low, high);
      RC_ASSERT(drawn >= low);
      RC_ASSERT(drawn <= high);
    }
  }
}

TEST(Random, DrawsRealsBelowTheUpperEnd) {
  Random random(3);
  double smallest = 1;
  double largest = 0;
  for (int i = 0; i < 20'000; ++i) {
    const double drawn = random.real();
    ASSERT_GE(drawn, 0.0);
    ASSERT_LT(drawn, 1.0);
    smallest = std::min(smallest, drawn);
    largest = std::max(largest, drawn);
    const double ranged = random.real(-5, 3);
    ASSERT_GE(ranged, -5.0);
    ASSERT_LT(ranged, 3.0);
  }
  EXPECT_LT(smallest, 1e-3);
  EXPECT_GT(largest, 1 - 1e-3);
}

TEST(Random, DrawsGaussiansThatAreFiniteWithMean0AndVariance1) {
  Random random(4);
  constexpr int count = 100'000;
  double sum = 0;
  double squares = 0;
  for (int i = 0; i < count; ++i) {
    const double drawn = random.gaussian();
    ASSERT_TRUE(std::isfinite(drawn));
    sum += drawn;
    squares += drawn * drawn;
  }
  EXPECT_NEAR(sum / count, 0, 0.02);
  EXPECT_NEAR(squares / count, 1, 0.02);
}

TEST(Random, TakesChancesAndPicksAsOftenAsItSays) {
  Random random(6);
  int taken = 0;
  std::set<int> picked;
  for (int i = 0; i < 10'000; ++i) {
    taken += random.chance(0.3) ? 1 : 0;
    EXPECT_FALSE(random.chance(0));
    EXPECT_TRUE(random.chance(1));
    picked.insert(random.pick({7, 8, 9}));
  }
  EXPECT_NEAR(taken, 3000, 200);
  EXPECT_EQ(picked, (std::set<int>{7, 8, 9}));
}

}  // namespace
}  // namespace assay::validation
