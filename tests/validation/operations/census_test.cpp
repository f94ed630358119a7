// A census of the cases that a full run compares with the reference: by counting, which sizes, which remainders by the
// widths of tiles and which pairs of large extents they have.
#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "tests/matchers.h"
#include "tests/validation/operations/operations.h"
#include "validation/core/sizes.h"

namespace assay::validation {
namespace {

using Extents = std::map<std::string, std::int64_t>;

struct Census {
  SizesOfExtents sizes;
  std::vector<Extents> cases;
};

/// The cases that properties which compare with the reference are given, of a kernel that is never slow.
template <class O>
Census census(Reach reach, std::uint64_t seed = 1) {
  Census counted;
  const Property<O> counts = {"counts",
                              "",
                              {},
                              [&](const Context<O>&, const typename O::Case& c) {
                                Extents extents;
                                for (const NeedleExtent& extent : O::needle_extents)
                                  extents[extent.name] = extent_of<O>(extent.name, statement_of(c));
                                for (const auto& [name, size] : extents) counted.sizes[name].insert(size);
                                counted.cases.push_back(extents);
                                return Finding::pass();
                              },
                              true};
  const auto kernel = O::shipped_kernel("cpu");
  GateOptions options{.cases = reach == Reach::quick ? 40 : 200, .seed = seed, .given = {}, .reach = reach};
  if (reach != Reach::quick) options.given = O::sized_cases();
  Coverage coverage(class_names<O>());
  const auto report = run_property(counts, {*kernel}, options, coverage);
  EXPECT_EQ(report.sizes, counted.sizes) << "what a run says of its sizes";
  return counted;
}

bool has_remainder(const std::set<std::int64_t>& sizes, std::int64_t tile, std::int64_t remainder) {
  return std::ranges::any_of(sizes,
                             [=](std::int64_t size) { return size >= tile - 1 && (size - remainder) % tile == 0; });
}

bool are_large(const Extents& extents, const std::string& one, const std::string& other) {
  const auto is_large = [&](const std::string& name) {
    return extents.at(name) >= pair_min && extents.at(name) <= pair_max;
  };
  return is_large(one) && is_large(other);
}

template <class O>
void expect_pairs(const Census& counted, std::ptrdiff_t least) {
  for (const NeedleExtent& one : O::needle_extents)
    for (const NeedleExtent& other : O::needle_extents) {
      if (one.index == other.index) continue;
      EXPECT_GE(
          std::ranges::count_if(counted.cases, [&](const Extents& c) { return are_large(c, one.name, other.name); }),
          least)
          << one.name << " and " << other.name;
    }
}

template <class O>
class CensusOf : public testing::Test {};
TYPED_TEST_SUITE(CensusOf, Operations, OperationName);

TYPED_TEST(CensusOf, AFullRunLeavesNoGapAndNoRemainderAndNoPairOut) {
  const Census counted = census<TypeParam>(Reach::full);
  for (const NeedleExtent& extent : TypeParam::needle_extents) {
    const std::set<std::int64_t>& sizes = counted.sizes.at(extent.name);
    EXPECT_TRUE(sizes.contains(extent.max + 1)) << extent.name;
    const auto widest = widest_interval_without(sizes);
    ASSERT_TRUE(widest) << extent.name;
    EXPECT_LT(widest->ratio(), 1.5) << extent.name << " from " << widest->first << " to " << widest->last;
    for (const std::int64_t tile : tile_widths)
      for (const std::int64_t remainder : tile_remainders)
        EXPECT_TRUE(has_remainder(sizes, tile, remainder)) << extent.name << " % " << tile << " = " << remainder;
  }
  expect_pairs<TypeParam>(counted, 2);
}

TYPED_TEST(CensusOf, AQuickRunHasARestOfEachTileAndEachPairAndNoWideGap) {
  const Census counted = census<TypeParam>(Reach::quick);
  for (const NeedleExtent& extent : TypeParam::needle_extents)
    for (const std::int64_t tile : tile_widths)
      EXPECT_TRUE(std::ranges::any_of(
          std::array{1, 2, 3},
          [&](int remainder) { return has_remainder(counted.sizes.at(extent.name), tile, remainder); }))
          << extent.name << " % " << tile;
  for (const NeedleExtent& extent : TypeParam::needle_extents) {
    const auto widest = widest_interval_without(counted.sizes.at(extent.name));
    ASSERT_TRUE(widest) << extent.name;
    EXPECT_LE(widest->ratio(), 128) << extent.name << " from " << widest->first << " to " << widest->last;
  }
  expect_pairs<TypeParam>(counted, 1);
}

TYPED_TEST(CensusOf, DrawsOtherSizesWithAnotherSeed) {
  EXPECT_EQ(census<TypeParam>(Reach::quick, 2).sizes, census<TypeParam>(Reach::quick, 2).sizes);
  EXPECT_NE(census<TypeParam>(Reach::quick, 2).sizes, census<TypeParam>(Reach::quick, 3).sizes);
}

TEST(Census, IsThatOfThePropertiesOfEachResult) {
  for (const char* const name : {"loss", "gradient"})
    EXPECT_TRUE(named(CtcOperation::properties(), name).against_reference) << name;
  for (const char* const name : {"loss", "dhidden", "dweight", "dbias"})
    EXPECT_TRUE(named(CceOperation::properties(), name).against_reference) << name;
  for (const char* const name : {"values", "reconstruction", "orthonormal-u", "orthonormal-v"})
    EXPECT_TRUE(named(SvdOperation::properties(), name).against_reference) << name;
}

template <class O>
void expect_shape(const Census& counted, const Extents& shape) {
  EXPECT_THAT(counted.cases, testing::Contains(shape)) << O::name;
}

TEST(Census, HasTheShapesThatPeopleTrainWith) {
  const Census ctc = census<CtcOperation>(Reach::full), svd = census<SvdOperation>(Reach::full);
  expect_shape<CtcOperation>(ctc, {{"T", 500}, {"B", 16}, {"C", 1000}, {"S", 50}});
  expect_shape<CtcOperation>(ctc, {{"T", 300}, {"B", 32}, {"C", 500}, {"S", 40}});
  expect_shape<CceOperation>(census<CceOperation>(Reach::full), {{"N", 256}, {"H", 512}, {"V", 4096}});
  expect_shape<SvdOperation>(svd, {{"B", 1}, {"M", 512}, {"N", 256}});
  expect_shape<SvdOperation>(svd, {{"B", 16}, {"M", 64}, {"N", 64}});
}

TEST(Sizes, TellTheWidestIntervalBetweenThem) {
  EXPECT_FALSE(widest_interval_without({}));
  EXPECT_FALSE(widest_interval_without({0, 1, 2, 3}));
  EXPECT_EQ(widest_interval_without({1, 2, 9, 10}, 100)->first, 11) << "none after the last";
  EXPECT_FALSE(widest_interval_without({1, 2}, 2));
  const auto between = widest_interval_without({0, 1, 2, 9, 100});
  ASSERT_TRUE(between);
  EXPECT_EQ(between->first, 10);
  EXPECT_EQ(between->last, 99);
  EXPECT_EQ(widest_interval_without({7, 8})->last, 6) << "sizes from 1 on";
}

TEST(Sizes, AreSpreadAndSomeAreRound) {
  Random random(1);
  std::set<std::int64_t> all;
  for (int i = 0; i < 100; ++i) {
    const std::vector<std::int64_t> sizes = spread_sizes(random, 1031, 1 << 17);
    EXPECT_EQ(sizes.size(), 2U);
    EXPECT_TRUE(std::ranges::is_sorted(sizes));
    EXPECT_GE(sizes.front(), 1031);
    EXPECT_LE(sizes.back(), 1 << 17);
    for (std::size_t k = 1; k < sizes.size(); ++k) EXPECT_LE(sizes[k], 128 * sizes[k - 1]);
    all.insert(sizes.begin(), sizes.end());
  }
  const auto round = std::ranges::count_if(all, [](std::int64_t size) { return size % 32 == 0 || size % 100 == 0; });
  EXPECT_GT(round, 30);
  EXPECT_LT(round, 120);
  EXPECT_THAT(spread_sizes(random, 5, 4), testing::IsEmpty());
  EXPECT_THAT(spread_sizes(random, 5, 5), testing::ElementsAre(5));
}

TEST(Sizes, ArePairsOfWhichEachExtentIsSpread) {
  Random random(1);
  for (int i = 0; i < 100; ++i) {
    auto pairs = spread_pairs(random, 6, pair_max, 1 << 18);
    std::int64_t smallest = pair_max, largest = 0;
    for (const auto& [one, other] : pairs) {
      EXPECT_GE(std::min(one, other), pair_min);
      EXPECT_LE(one * other, 1 << 18);
      smallest = std::min(smallest, other);
      largest = std::max(largest, other);
    }
    for (std::size_t k = 1; k < pairs.size(); ++k)
      EXPECT_LE(pairs[k].first, 2.6 * static_cast<double>(pairs[k - 1].first));
    EXPECT_LT(smallest, 110);
    EXPECT_GT(largest, 190);
  }
}

TEST(Sizes, ArePairsWithinTheirBudget) {
  Random random(1);
  std::int64_t largest = 0;
  for (int i = 0; i < 200; ++i) {
    const auto [one, other] = pair_of_sizes(random, pair_max, 1 << 17);
    EXPECT_GE(std::min(one, other), pair_min);
    EXPECT_LE(one * other, 1 << 17);
    largest = std::max({largest, one, other});
  }
  EXPECT_GT(largest, 900);
  EXPECT_LE(largest, pair_max);
}

}  // namespace
}  // namespace assay::validation
