// Matrices without full rank, at the ends of the range of numbers, and ones that do not converge.
#include <fmt/format.h>

#include <bit>
#include <limits>

#include "tests/kernels/svd/bench.h"
#include "tests/kernels/svd/expect.h"

namespace assay::metal::test {
namespace {

class SvdEdges : public testing::TestWithParam<SvdWay> {
 protected:
  void TearDown() override { EXPECT_EQ(bench_.reports(), ""); }
  SvdResults<float> run(const SvdCase& c) { return bench_.run(GetParam(), c); }
  void expect_right(const SvdCase& c, const std::string& what) {
    expect_svd(run(c), c, what);
    expect_svd(run(transposed(c)), transposed(c), what + ", transposed");
  }

  SvdBench bench_;
};

TEST_P(SvdEdges, ZeroMatricesHaveUnitVectors) {
  for (const auto& [M, N] : {std::pair{1, 1}, {5, 3}, {4, 4}}) {
    SvdCase c = some_svd(M, N);
    std::ranges::fill(c.A, -0.0F);
    expect_right(c, "zero");
    const SvdResults<float> results = run(c);
    for (const float value : results.S) EXPECT_EQ(value, 0.0F);
    for (std::size_t i = 0; i < results.U.size(); ++i)
      EXPECT_EQ(results.U[i], i % static_cast<std::size_t>(N + 1) == 0 && i < static_cast<std::size_t>(N * N) ? 1 : 0);
  }
}

TEST_P(SvdEdges, ZeroColumnsAreCompleted) {
  SvdCase c = some_svd(9, 7);
  for (std::int64_t i = 0; i < 9; ++i)
    for (const std::int64_t j : {0, 3, 4}) c.A[c.at(0, i, j)] = 0;
  expect_right(c, "zero columns");
  const SvdResults<float> results = run(c);
  for (std::size_t r = 4; r < 7; ++r) EXPECT_EQ(results.S[r], 0.0F);
}

TEST_P(SvdEdges, LowRanksAreCompleted) {
  for (const std::int64_t rank : {1, 2, 3}) expect_right(low_rank_svd(12, 10, rank), fmt::format("rank {}", rank));
  SvdCase equal = some_svd(8, 8);
  std::ranges::fill(equal.A, 3.0F);
  expect_right(equal, "equal elements");
}

TEST_P(SvdEdges, EqualAndNearlyEqualValues) {
  SvdCase c = some_svd(8, 8);
  for (std::int64_t i = 0; i < 8; ++i)  // Hadamard's: all singular values sqrt 8
    for (std::int64_t j = 0; j < 8; ++j)
      c.A[c.at(0, i, j)] = std::popcount(static_cast<std::uint64_t>(i & j)) % 2 ? -1 : 1;
  expect_right(c, "equal");
  c.A[5] += 1e-6F;
  expect_right(c, "nearly equal");
}

TEST_P(SvdEdges, IllConditionedMatrices) {
  SvdCase hilbert = some_svd(12, 12);
  for (std::int64_t i = 0; i < 12; ++i)
    for (std::int64_t j = 0; j < 12; ++j) hilbert.A[hilbert.at(0, i, j)] = 1.0F / static_cast<float>(i + j + 1);
  expect_right(hilbert, "Hilbert");
}

/// S past the range of its type; U and Vh as ever.
TEST_P(SvdEdges, OverflowIsOfTheValuesAlone) {
  SvdCase c = some_svd(6, 6);
  std::ranges::fill(c.A, std::numeric_limits<float>::max());
  const SvdResults<float> results = run(c);
  EXPECT_EQ(results.S[0], std::numeric_limits<float>::infinity());
  SvdCase small = c;
  std::ranges::fill(small.A, std::numeric_limits<float>::max() / 1024);
  const SvdResults<float> scaled_down = run(small);
  EXPECT_EQ(results.U, scaled_down.U);
  EXPECT_EQ(results.Vh, scaled_down.Vh);
}

/// Of one bit each; S is one of them too, and of two bits.
TEST_P(SvdEdges, SubnormalNumbersAreNumbers) {
  constexpr float least = std::numeric_limits<float>::denorm_min();
  const SvdCase c{1, 2, 2, {3 * least, 0, 0, -least}};
  const SvdResults<float> results = run(c);
  EXPECT_EQ(results.S, (std::vector<float>{3 * least, least}));
  EXPECT_EQ(results.U, (std::vector<float>{1, 0, 0, 1}));
  EXPECT_EQ(results.Vh, (std::vector<float>{1, 0, 0, -1}));
}

/// S of columns that are too small to be rotated, 2^-(38 + top) of the largest, is their norm.
TEST_P(SvdEdges, ColumnsOfNoConsequenceKeepTheirNorm) {
  const SvdCase c{1, 3, 3, {1, 0, 0, 0, 0x1p-110F, 0, 0, 0, -0x1p-149F}};
  const SvdResults<float> results = run(c);
  EXPECT_EQ(results.S, (std::vector<float>{1, 0x1p-110F, 0x1p-149F}));
  expect_svd(results, c, "diagonal");
}

TEST_P(SvdEdges, TheLimitOfSweepsIsAnError) {
  bench_.max_sweeps = 2;
  SvdCase c = some_svd(8, 8, 3);
  std::fill_n(c.A.begin(), 64, 0.0F);  // the first matrix converges
  const TypedSvd<float> typed(c);
  SvdResults<float> results(typed.problem());
  const Result<void> done = bench_.try_run(GetParam(), typed.problem(), results);
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error(), (Error{Error::Kind::execution, "A[b=1]: columns not orthogonal after 2 sweeps"}));
}

/// The host refuses it; were it to come through, it would be no success.
TEST_P(SvdEdges, NoNumberDoesNotConverge) {
  bench_.max_sweeps = 3;
  for (const float bad : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    SvdCase c = some_svd(4, 4);
    c.A[6] = bad;
    const TypedSvd<float> typed(c);
    SvdResults<float> results(typed.problem());
    EXPECT_FALSE(bench_.try_run(GetParam(), typed.problem(), results)) << bad;
  }
}

INSTANTIATE_TEST_SUITE_P(All, SvdEdges, quick_svd_ways(), name_of_way);

}  // namespace
}  // namespace assay::metal::test
