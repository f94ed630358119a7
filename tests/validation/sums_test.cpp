// The bounds on sums, held to arithmetic of few bits that adds in the worst orders.
#include "validation/core/sums.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "tests/validation/few_bits.h"

namespace assay::validation {
namespace {

constexpr FewBits few;
const double u = few.unit_roundoff();

enum class Kind { dense, sparse, sharp, just_counted, zeros };

/// Terms that the arithmetic has, with magnitudes that are spread in one of several ways.
std::vector<double> some_terms(Random& random, Kind kind) {
  std::vector<double> terms;
  const auto n = random.integer(1, 200);
  for (std::int64_t i = 0; i < n; ++i) {
    double x = random.real(0.5, 1);
    if (kind == Kind::sparse && !random.chance(0.05)) x *= std::exp2(-random.real(10, 30));
    if (kind == Kind::sharp) x *= std::exp2(-random.real(0, 20));
    if (kind == Kind::just_counted && i > 0) x *= 1.2 * u;  // just more than half a unit in the last place of the first
    if (kind == Kind::zeros && random.chance(0.9)) x = 0;
    terms.push_back(few.round(x));
  }
  return terms;
}

/// The largest error of the sum as a share of what N terms allow.
double worst_share(std::vector<double> terms, Random& random, double N, bool mixed_signs) {
  if (mixed_signs)
    for (double& x : terms) x = random.chance(0.5) ? x : -x;
  const double exact = std::accumulate(terms.begin(), terms.end(), 0.0);
  const double size =
      std::accumulate(terms.begin(), terms.end(), 0.0, [](double s, double x) { return s + std::abs(x); });
  double worst = 0;
  const auto take = [&](double sum) { worst = std::max(worst, std::abs(sum - exact) / (gamma(N, u) * size)); };
  take(few.chain(terms));
  for (int i = 0; i < 3; ++i) take(few.tree(terms, random));
  std::ranges::sort(terms);
  take(few.chain(terms));
  std::ranges::reverse(terms);
  take(few.chain(terms));
  return worst;
}

TEST(Sums, StayWithinTheBoundInEveryOrder) {
  double worst = 0;
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    Random random(seed);
    const auto kind = random.pick({Kind::dense, Kind::sparse, Kind::sharp, Kind::just_counted, Kind::zeros});
    const auto terms = some_terms(random, kind);
    const double total = std::accumulate(terms.begin(), terms.end(), 0.0);
    if (total == 0) continue;
    const double N = effective_terms(terms, total, u);
    EXPECT_LE(N, static_cast<double>(terms.size()));
    for (const bool mixed_signs : {false, true}) {
      const double share = worst_share(terms, random, N, mixed_signs);
      EXPECT_LE(share, 1) << "seed " << seed;
      worst = std::max(worst, share);
    }
  }
  EXPECT_GT(worst, 0.3) << "or half as many terms would do";
}

TEST(Sums, CountTermsByTheirSize) {
  const std::vector<double> equal(100, 0.25);
  EXPECT_DOUBLE_EQ(effective_terms(equal, 25, 0x1p-24), 100);
  std::vector<double> sparse(65'537, 0);
  std::fill_n(sparse.begin(), 64, 1.0);
  EXPECT_DOUBLE_EQ(effective_terms(sparse, 64, 0x1p-24), 64);
  sparse.assign(65'537, 1e-12);
  sparse[5] = 1;
  EXPECT_NEAR(effective_terms(sparse, 1, 0x1p-24), 1 + 65'536 * 1e-12 * 0x1p24, 0.02);
  EXPECT_DOUBLE_EQ(effective_terms(std::vector<double>(300, 1.0), 300, 0x1p-8), 300) << "n u > 1";
  EXPECT_EQ(effective_terms({}, 0, u), 0);
  const std::vector<double> with_nan = {1, std::nan("")};
  EXPECT_EQ(effective_terms(with_nan, 1, u), 2);
}

TEST(Sums, AreRescaledOnceForEachLargerArgument) {
  std::vector<Exponential> terms = {{0, 0.2}, {2, 0.5}, {0, 0.2}, {-1, 0.1}};
  const auto error = [&](bool may_break_ties, double max_changes) {
    return rescaling_error(terms, {5, 0x1p-50, may_break_ties, max_changes});
  };
  EXPECT_NEAR(error(false, 9), 5 * (0.2 + 0.2 + 3 * 0.1), 1e-9);
  EXPECT_NEAR(error(true, 9), 5 * (0.2 + 2 * 0.2 + 3 * 0.1), 1e-9);
  EXPECT_NEAR(error(true, 1), 5 * (0.2 + 0.2 + 0.1), 1e-9);
  EXPECT_GT(rescaling_error(terms, {5, 0x1p-5}), 5.5 * (0.2 + 0.2 + 3 * 0.1)) << "errors of many changes compound";
  std::vector<Exponential> none;
  EXPECT_EQ(rescaling_error(none, {5, u}), 0);
}

/// An online sum whose maximum changes as often as it can, the arguments in ascending order, and in any other.
TEST(Sums, StayWithinTheBoundWhenTheMaximumChanges) {
  double worst = 0, without_changes = 0;
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    Random random(seed);
    const double scale = random.pick({0.01, 0.3, 3.0, 30.0});
    std::vector<double> arguments;
    for (std::int64_t i = random.integer(1, 60); i > 0; --i) arguments.push_back(few.round(scale * random.gaussian()));
    if (random.chance(0.7)) std::ranges::sort(arguments);
    const double max = *std::ranges::max_element(arguments);
    std::vector<Exponential> terms;
    std::vector<double> sizes;
    double sum = 0, distance = 0;
    for (const double x : arguments) sum += sizes.emplace_back(std::exp(x - max));
    for (const double x : arguments) terms.push_back({x, std::exp(x - max) / sum});
    for (const auto& term : terms) distance += term.share * (max - term.argument);
    const double N = effective_terms(sizes, sum, u), R = rescaling_error(terms, {2, u});
    const double error = std::abs(few.online_sum(arguments) - sum) / sum;
    // An exponential and a product cost 1 each; the terms' own exponentials 1.
    worst = std::max(worst, error / gamma(N + R + distance + 1, u));
    without_changes = std::max(without_changes, error / gamma(1 + distance, u));
  }
  EXPECT_LE(worst, 1);
  EXPECT_GT(worst, 0.2);
  EXPECT_GT(without_changes, 1);
}

bool is_exact(const std::vector<double>& terms, double unit_roundoff) {
  Grid grid;
  double size = 0;
  for (const double x : terms) grid.add(x), size += std::abs(x);
  return grid.is_exact(size, unit_roundoff);
}

TEST(Sums, AreExactOnAGrid) {
  EXPECT_TRUE(is_exact({}, u));
  EXPECT_TRUE(is_exact({0, -0.0}, u));
  EXPECT_TRUE(is_exact({1e8, 8, -16}, 0x1p-24));
  EXPECT_FALSE(is_exact({1e8, 1}, 0x1p-24));
  EXPECT_TRUE(is_exact({1e8, 1}, 0x1p-53));
  EXPECT_TRUE(is_exact({1023, 1}, u));
  EXPECT_FALSE(is_exact({1023, 2, 1}, u));
  EXPECT_TRUE(is_exact({0x1p-149, 3 * 0x1p-148}, 0x1p-24));
}

TEST(Sums, OnAGridHaveNoErrorInAnyOrder) {
  int exact = 0, inexact = 0;
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    Random random(seed);
    const double unit = std::exp2(static_cast<double>(random.integer(-20, 20)));
    std::vector<double> terms;
    for (std::int64_t i = random.integer(1, 40); i > 0; --i)
      terms.push_back(unit * static_cast<double>(random.integer(-200, 200)));
    const double due = std::accumulate(terms.begin(), terms.end(), 0.0);
    const bool same = few.chain(terms) == due && few.tree(terms, random) == due;
    if (is_exact(terms, u)) {
      EXPECT_TRUE(same) << "seed " << seed;
      ++exact;
    }
    inexact += same ? 0 : 1;
  }
  EXPECT_GT(exact, 400);
  EXPECT_GT(inexact, 5) << "or a bound of 0 would hold everywhere";
}

}  // namespace
}  // namespace assay::validation
