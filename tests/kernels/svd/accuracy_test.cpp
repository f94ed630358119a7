// Every way of rotating gives a decomposition: residual, both bases, order, signs and singular values together.
#include <fmt/format.h>

#include "tests/kernels/svd/bench.h"
#include "tests/kernels/svd/expect.h"

namespace assay::metal::test {
namespace {

class SvdAccuracy : public testing::TestWithParam<SvdWay> {
 protected:
  void TearDown() override { EXPECT_EQ(bench_.reports(), ""); }
  SvdResults<float> run(const SvdCase& c, bool with_vectors = true) { return bench_.run(GetParam(), c, with_vectors); }

  SvdBench bench_;
};

TEST_P(SvdAccuracy, OfGaussianMatrices) {
  for (const auto& [M, N] : {std::pair{1, 1}, {1, 4}, {4, 1}, {2, 2}, {3, 3}, {7, 5}, {5, 7}, {8, 8}, {40, 7}})
    expect_svd(run(some_svd(M, N)), some_svd(M, N), fmt::format("{} x {}", M, N));
}

/// More columns than two blocks have, and an odd number of them.
TEST_P(SvdAccuracy, OfMoreColumns) {
  const SvdCase c = some_svd(37, 35);
  expect_svd(run(c), c, "37 x 35");
}

TEST_P(SvdAccuracy, OfABatchIsThatOfItsMatrices) {
  const SvdCase all = some_svd(6, 5, 3);
  const SvdResults<float> together = run(all);
  expect_svd(together, all, "batch");
  for (std::int64_t b = 0; b < 3; ++b) {
    const SvdCase one{1, 6, 5, {all.A.begin() + b * 30, all.A.begin() + (b + 1) * 30}};
    const SvdResults<float> alone = run(one);
    EXPECT_TRUE(std::ranges::equal(alone.S, std::span(together.S).subspan(static_cast<std::size_t>(b) * 5, 5)));
    EXPECT_TRUE(std::ranges::equal(alone.U, std::span(together.U).subspan(static_cast<std::size_t>(b) * 30, 30)));
    EXPECT_TRUE(std::ranges::equal(alone.Vh, std::span(together.Vh).subspan(static_cast<std::size_t>(b) * 25, 25)));
  }
}

TEST_P(SvdAccuracy, OfValuesAloneIsThatOfValuesWithVectors) {
  for (const auto& [M, N] : {std::pair{6, 5}, {5, 6}}) EXPECT_EQ(run(some_svd(M, N), false).S, run(some_svd(M, N)).S);
}

/// One-sided Jacobi's reason to exist: the smallest as exact as the largest.
TEST_P(SvdAccuracy, OfGradedColumnsIsRelativeToEachValue) {
  for (const auto& [least, power] : {std::pair{1e-12, 0}, {1e-12, -66}, {1e-12, 66}, {1e-18, 0}, {1e-26, 0}}) {
    const SvdCase tall = scaled(graded_svd(13, 11, least), power), wide = transposed(tall);
    EXPECT_LE(relative_error(run(wide, false), wide), 10) << least << " 2^" << power;
    const SvdResults<float> results = run(tall);
    EXPECT_LE(relative_error(results, tall), 10) << least << " 2^" << power;
    expect_svd(results, tall, fmt::format("graded {} 2^{}", least, power));
  }
}

TEST_P(SvdAccuracy, IsThatOfAnyScale) {
  const SvdCase c = short_svd(7, 6);
  const SvdResults<float> plain = run(c);
  for (const int power : {-143, -126, -13, 120}) {
    const SvdResults<float> other = run(scaled(c, power));
    EXPECT_EQ(other.U, plain.U) << power;
    EXPECT_EQ(other.Vh, plain.Vh) << power;
    for (std::size_t r = 0; r < plain.S.size(); ++r) EXPECT_EQ(other.S[r], std::ldexp(plain.S[r], power)) << power;
  }
}

INSTANTIATE_TEST_SUITE_P(All, SvdAccuracy, testing::ValuesIn(svd_ways), name_of_way);

/// As large as the kernels are made for, with the checks off: how exact they are is measured, and told.
TEST(SvdLarge, GaussianMatricesStayWithinTheBound) {
  emulator::EmulatorOptions options;
  options.is_checked = false;
  SvdBench bench(options);
  for (const auto& [way, n] : {std::pair{svd_ways[3], 64}, {svd_ways[4], 128}}) {
    const SvdCase c = some_svd(n, n);
    const SvdResults<float> results = bench.run(way, c);
    const Factors<float> factors(c, results, 0);
    const Exact residual = factors.residual() / float_bound(c),
                orthogonality = factors.orthogonality() / float_bound(c);
    EXPECT_LE(residual, 0.6L) << n;
    EXPECT_LE(orthogonality, 0.6L) << n;
    EXPECT_TRUE(factors.is_in_order() && factors.has_signs()) << n;
  }
}

}  // namespace
}  // namespace assay::metal::test
