// No result depends on the order in which threads run; types are rounded once; lint finds nothing.
#include "tests/kernels/svd/bench.h"
#include "tests/kernels/svd/expect.h"

namespace assay::metal::test {
namespace {

class SvdChecks : public testing::TestWithParam<SvdWay> {};

TEST_P(SvdChecks, OrdersOfThreadsGiveEqualBits) {
  SvdCase deficient = some_svd(20, 17, 2);
  for (std::size_t i = 0; i < deficient.A.size(); i += 17) deficient.A[i] = 0;
  std::vector<SvdResults<float>> results;
  for (const emulator::EmulatorOptions& options : thread_orders())
    results.push_back(SvdBench(options).run(GetParam(), deficient));
  EXPECT_EQ(results[1], results[0]);
  EXPECT_EQ(results[2], results[0]);
}

/// The arithmetic is that of float, and a vector is rounded once; its sign follows what is stored.
template <class Real>
void expect_rounded(const SvdWay& way, const SvdCase& wanted) {
  SvdBench bench;
  SvdCase c = wanted;
  for (float& x : c.A) x = static_cast<Real>(x);
  const SvdResults<Real> narrow = bench.run<Real>(way, c);
  const SvdResults<float> wide = bench.run(way, c);
  EXPECT_EQ(narrow.S, wide.S);
  const auto expect_same = [&](const std::vector<Real>& got, const std::vector<float>& from) {
    for (std::size_t i = 0; i < got.size(); ++i)
      EXPECT_EQ(std::abs(float{got[i]}), std::abs(float{static_cast<Real>(double{from[i]})})) << i;
  };
  expect_same(narrow.U, wide.U);
  expect_same(narrow.Vh, wide.Vh);
  expect_svd(narrow, c, host::metal_type<Real>(), Exact{std::ldexp(8.0F, -std::numeric_limits<Real>::digits)});
  EXPECT_EQ(bench.reports(), "");
}

class SvdTypes : public testing::TestWithParam<SvdWay> {};

TEST_P(SvdTypes, AreRoundedOnce) {
  for (const auto& [M, N] : {std::pair{9, 6}, {6, 9}}) {
    expect_rounded<Half>(GetParam(), some_svd(M, N));
    expect_rounded<BFloat16>(GetParam(), some_svd(M, N));
  }
  expect_rounded<Half>(GetParam(), scaled(short_svd(5, 5), -18));  // subnormal
  expect_rounded<BFloat16>(GetParam(), scaled(short_svd(5, 5), -127));
}

INSTANTIATE_TEST_SUITE_P(All, SvdChecks, testing::ValuesIn(svd_ways), name_of_way);
INSTANTIATE_TEST_SUITE_P(All, SvdTypes, quick_svd_ways(), name_of_way);

/// Of -1 and 1 in half: all elements of a column of U are of one size.
TEST(SvdSigns, FollowWhatIsStored) {
  SvdBench bench;
  const SvdCase c{1, 2, 2, {-1, 1.0009765625F, 1, 1}};
  for (const SvdWay& way : svd_ways) expect_svd(bench.run<Half>(way, c), c, std::string(way.name), 1e-2L);
}

TEST(SvdLint, IsContent) {
  expect_lint_accepts(ASSAY_KERNELS "/svd/svd.metal");
}

}  // namespace
}  // namespace assay::metal::test
