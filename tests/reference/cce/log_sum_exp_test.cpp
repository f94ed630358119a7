// The online log-sum-exp gives the same sum in every chunking and every order of merging: exactly over 2^k, as
// overlapping enclosures over Ball, within the bound of the header over float and double.
#include "reference/cce/log_sum_exp.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "reference/number/ball.h"
#include "reference/number/big_float.h"
#include "reference/number/binary_weight.h"
#include "reference/number/extended.h"
#include "reference/number/log_number.h"
#include "tests/reference/expect.h"

namespace assay::reference {
namespace {

using tests::infinity;
using tests::nan;

using tests::expect_near;

template <class Weight>
using ScalarOf = typename OnlineSum<Weight>::Scalar;

/// Merges sums in a random tree: any two of those that are left, in either order, until one is left.
template <class Weight>
OnlineSum<Weight> merge_at_random(std::vector<OnlineSum<Weight>> sums, std::mt19937& random) {
  while (sums.size() > 1) {
    std::shuffle(sums.begin(), sums.end(), random);
    OnlineSum<Weight> merged = merge(sums[sums.size() - 2], sums.back());
    sums.pop_back();
    sums.back() = merged;
  }
  return sums.back();
}

/// Cuts x, shuffled, into chunks at random, some empty, each summed online.
template <class Weight>
std::vector<OnlineSum<Weight>> chunks_at_random(std::vector<ScalarOf<Weight>> x, std::mt19937& random) {
  std::shuffle(x.begin(), x.end(), random);
  std::vector<OnlineSum<Weight>> chunks(1);
  for (const ScalarOf<Weight>& element : x) {
    while (random() % 3 == 0) chunks.emplace_back();
    add(chunks.back(), element);
  }
  return chunks;
}

/// Calls `check` with the sum of x in order, and with its sums in 200 random chunkings and orders of merging.
template <class Weight, class Check>
void for_each_order(const std::vector<ScalarOf<Weight>>& x, Check check) {
  std::mt19937 random(2018);
  check(online_sum<Weight>(x));
  for (int trial = 0; trial < 200; ++trial) check(merge_at_random(chunks_at_random<Weight>(x, random), random));
}

std::vector<double> random_logits(std::size_t V, double scale, double offset) {
  std::mt19937 random(5);
  std::normal_distribution<double> normal(offset, scale);
  std::vector<double> x(V);
  for (double& element : x) element = static_cast<float>(normal(random));
  return x;
}

/// ln sum exp x, by definition.
BigFloat defined_lse(const std::vector<double>& x) {
  BigFloat sum(0);
  for (const double element : x) sum += NumberTraits<BigFloat>::exp(BigFloat(element));
  return NumberTraits<BigFloat>::log(sum);
}

TEST(OnlineSum, IsTheSameInEveryOrderExactlyOverPowersOfTwo) {
  std::mt19937 random(7);
  for (int V = 1; V <= 12; ++V) {
    std::vector<Rational> exponents;
    Rational sum = 0;
    for (int v = 0; v < V; ++v) {
      const int k = static_cast<int>(random() % 41) - 20;
      exponents.emplace_back(k);
      sum += NumberTraits<BinaryWeight>::exp(exponents.back()).value();
    }
    const Rational largest = *std::max_element(exponents.begin(), exponents.end());
    for_each_order<BinaryWeight>(exponents, [&](const OnlineSum<BinaryWeight>& result) {
      EXPECT_EQ(result.max, largest);
      EXPECT_EQ(Rational((1 + result.others.value()) * NumberTraits<BinaryWeight>::exp(largest).value()), sum);
    });
  }
}

TEST(Merge, IsAssociativeCommutativeAndHasANeutralElementExactly) {
  for (int a = -2; a <= 2; ++a)
    for (int b = -2; b <= 2; ++b)
      for (int c = -2; c <= 2; ++c) {
        OnlineSum<BinaryWeight> x, y, z;
        add(x, Rational(a)), add(x, Rational(1)), add(y, Rational(b)), add(z, Rational(c)), add(z, Rational(c));
        EXPECT_TRUE(merge(merge(x, y), z) == merge(x, merge(y, z)));
        EXPECT_TRUE(merge(x, y) == merge(y, x));
        EXPECT_TRUE(merge(x, OnlineSum<BinaryWeight>{}) == x);
        EXPECT_TRUE(merge(OnlineSum<BinaryWeight>{}, x) == x);
      }
}

TEST(Merge, OfTwoHasTheSameBitsInBothOrders) {
  std::mt19937 random(3);
  for (int trial = 0; trial < 1000; ++trial) {
    OnlineSum<float> a, b;
    for (int i = 0; i < 5; ++i) {  // few distinct values: the maxima are often equal
      add(a, static_cast<float>(random() % 4) * 0.7F);
      add(b, static_cast<float>(random() % 4) * 0.7F);
    }
    EXPECT_TRUE(merge(a, b) == merge(b, a));
  }
}

/// Each x takes part in at most V - 1 steps, whatever the order.
template <class Real>
void expect_within_bound(std::size_t V, double scale, double offset) {
  const std::vector<double> x = random_logits(V, scale, offset);
  const std::vector<Real> rounded(x.begin(), x.end());
  const BigFloat exact = defined_lse(x);
  const double u = std::numeric_limits<Real>::epsilon() / 2, v = static_cast<double>(V);
  const double bound = u * (5 * (v - 1) + 3 * std::log(v) + 4 + std::abs(static_cast<double>(exact)));
  for_each_order<Real>(rounded, [&](const OnlineSum<Real>& sum) {
    const double error = std::abs(static_cast<double>(BigFloat(BigFloat(sum.log()) - exact)));
    EXPECT_TRUE(error <= bound) << error << " > " << bound << " at V=" << V << ", scale " << scale;
  });
}

TEST(OnlineSum, IsWithinItsBoundInFloatAndDouble) {
  for (const std::size_t V : {1U, 2U, 3U, 17U, 100U})
    for (const double scale : {0.0, 1.0, 30.0, 1000.0})
      for (const double offset : {0.0, 1e6}) {
        expect_within_bound<float>(V, scale, offset);
        expect_within_bound<double>(V, scale, offset);
      }
}

TEST(OnlineSum, KeepsAllDigitsInBigFloat) {
  const std::vector<double> x = random_logits(40, 10, -3);
  const std::vector<BigFloat> numbers(x.begin(), x.end());
  const BigFloat exact = defined_lse(x);
  for_each_order<BigFloat>(numbers,
                           [&](const OnlineSum<BigFloat>& sum) { expect_near(sum.log(), exact, BigFloat(1e-46)); });
}

TEST(OnlineSum, KeepsTheSummandsThatOneSwallows) {
  OnlineSum<BigFloat> sum;
  for (const int x : {-800, 0, -900}) add(sum, BigFloat(x));
  const BigFloat others = NumberTraits<BigFloat>::exp(BigFloat(-800)) + NumberTraits<BigFloat>::exp(BigFloat(-900));
  expect_near(sum.others / others, BigFloat(1), BigFloat(1e-48));
}

TEST(OnlineSum, StandsLeadingMinusInfinitiesAndChunksOfNothingElse) {
  EXPECT_EQ(OnlineSum<double>{}.log(), -infinity);
  const std::vector<double> nothing{-infinity, -infinity}, x{-infinity, -infinity, 3, -infinity, 3};
  const auto none = online_sum<double>(nothing), some = online_sum<double>(x);
  EXPECT_TRUE(none.empty);
  EXPECT_EQ(some.max, 3);
  EXPECT_EQ(some.others, 1);
  EXPECT_TRUE(merge(none, some) == some && merge(some, none) == some && merge(none, none).empty);
}

TEST(OnlineSum, LetsNanThrough) {
  for (const std::vector<double>& x : {std::vector{nan, 1.0}, std::vector{1.0, nan}, std::vector{0.0, nan, 5.0}})
    EXPECT_TRUE(std::isnan(online_sum<double>(x).log()));
}

TEST(OnlineSum, TakesWeightsOfWiderRange) {
  const std::vector<double> x{0, -2000, 5, 4.5};
  const double expected = static_cast<double>(defined_lse(x));
  EXPECT_NEAR(online_sum<LogNumber<double>>(x).log(), expected, 1e-14);
  EXPECT_NEAR(online_sum<Extended<double>>(x).log(), expected, 1e-14);
  OnlineSum<Extended<double>> sum;
  add(sum, 0.0), add(sum, -2000.0);
  EXPECT_NEAR(NumberTraits<Extended<double>>::log(sum.others), -2000, 1e-9);
}

#if ASSAY_HAVE_CERTIFIED
TEST(OnlineSum, EnclosesOneTruthInEveryOrder) {
  const std::vector<double> x = random_logits(40, 10, 2);
  const std::vector<Ball> balls(x.begin(), x.end());
  const Ball in_order = online_sum<Ball>(balls).log();
  BigFloat exact(0);
  {
    const PrecisionScope scope(90);
    exact = defined_lse(x);
  }
  for_each_order<Ball>(balls, [&](const OnlineSum<Ball>& sum) {
    EXPECT_TRUE(sum.log().overlaps(in_order));
    EXPECT_TRUE(sum.log().contains(exact));
    EXPECT_TRUE(sum.log().radius() < BigFloat(1e-45));
  });
}
#endif

}  // namespace
}  // namespace assay::reference
