// No result depends on the order in which threads run, lint finds nothing, tokens do not depend on each other.
#include "tests/kernels/cce/bench.h"
#include "tests/kernels/cce/paths.h"

namespace assay::metal::test {
namespace {

class CceChecks : public testing::TestWithParam<CcePath> {};

TEST_P(CceChecks, OrdersOfThreadsGiveEqualBits) {
  CceCase c = some_cce(40, 40, 70, true);
  c.logit_softcap = 5;
  c.label_smoothing = 0.1;
  std::vector<CceResults<float>> results;
  for (const emulator::EmulatorOptions& options : thread_orders())
    results.push_back(CceBench({.path = GetParam(), .chunk = 32}, options).run(c));
  EXPECT_EQ(results[1], results[0]);
  EXPECT_EQ(results[2], results[0]);
}

INSTANTIATE_TEST_SUITE_P(All, CceChecks, both_paths(), name_of_path);

/// What a token is given does not depend on those beside it.
TEST(CceProduction, GivesATokenTheSameBitsAlone) {
  CceBench bench;
  const CceCase all = some_cce(40, 9, 70, true);
  const CceResults<float> together = bench.run(all);
  for (const std::int64_t n : {0, 7, 37}) {
    CceCase one = all;
    one.N = 1;
    one.hidden.assign(all.hidden.begin() + n * 9, all.hidden.begin() + (n + 1) * 9);
    one.targets = {all.targets[static_cast<std::size_t>(n)]};
    const CceResults<float> alone = bench.run(one);
    EXPECT_EQ(alone.loss[0], together.loss[static_cast<std::size_t>(n)]);
    EXPECT_TRUE(
        std::ranges::equal(alone.dhidden, std::span(together.dhidden).subspan(static_cast<std::size_t>(n) * 9, 9)));
  }
}

TEST(CceLint, IsContent) {
  expect_lint_accepts(ASSAY_KERNELS "/cce/cce.metal");
}

}  // namespace
}  // namespace assay::metal::test
