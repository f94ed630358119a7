// The sizes of extents: each tail of each tile, and no gap that a kernel could be wrong in.
#include "validation/formula/sizes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "validation/core/sizes.h"

namespace assay::validation::formula {
namespace {

std::set<std::int64_t> sizes_of(std::uint64_t seed, std::int64_t limit, Reach reach) {
  Random random(seed);
  const auto sizes = sizes_between(random, limit, reach);
  return {sizes.begin(), sizes.end()};
}

TEST(FormulaSizes, AFullRunHasASizeInEachIntervalFromATo15A) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    const auto sizes = sizes_of(seed, 4097, Reach::full);
    for (std::int64_t a = 2; 3 * a / 2 <= 4097; ++a) {
      const auto next = sizes.lower_bound(a);
      ASSERT_TRUE(next != sizes.end() && *next <= 3 * a / 2) << "seed " << seed << ", a = " << a;
    }
  }
}

TEST(FormulaSizes, AFullRunHasEachTailOfEachTile) {
  for (const std::int64_t limit : {4097, 513, 300})
    for (std::uint64_t seed = 1; seed <= 20; ++seed)
      for (const std::int64_t tile : tile_widths)
        for (const std::int64_t tail : tile_remainders) {
          const auto sizes = sizes_of(seed, limit, Reach::full);
          ASSERT_TRUE(std::ranges::any_of(sizes, [&](auto size) { return size > 1 && (size - tail) % tile == 0; }))
              << "seed " << seed << ", tile " << tile << ", tail " << tail;
        }
}

TEST(FormulaSizes, AQuickRunHasMultiplesOfAHundredAndOf128) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const auto sizes = sizes_of(seed, 4097, Reach::quick);
    for (const std::int64_t step : {100, 128})
      EXPECT_TRUE(std::ranges::any_of(sizes, [&](auto size) { return size % step == 0; })) << "seed " << seed;
  }
}

TEST(FormulaSizes, NoSizeIsPastTheLimitAndQuickRunsHaveFew) {
  for (const std::int64_t limit : {1, 2, 3, 33, 4097})
    for (std::uint64_t seed = 1; seed <= 20; ++seed)
      for (const Reach reach : all_reaches)
        for (const std::int64_t size : sizes_of(seed, limit, reach)) ASSERT_TRUE(size >= 1 && size <= limit);
  EXPECT_TRUE(sizes_of(1, 4097, Reach::none).empty());
  EXPECT_LT(sizes_of(1, 4097, Reach::quick).size(), 50U);
}

}  // namespace
}  // namespace assay::validation::formula
