// No result depends on the order in which threads run, lint finds nothing, a skip of tiles does as it says.
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

/// Entries of two kinds, by tiles: of weight, and of none.
CceCase two_kinds(float weak) {
  CceCase c = some_cce(82, 9, 192, true);
  for (std::size_t v = 64; v < 128; ++v) c.bias[v] = weak;
  for (std::int64_t& target : c.targets) target = target >= 0 ? target % 64 : target;
  return c;
}

TEST(CceProduction, SkipsTilesWhoseSoftmaxIsNextToNothing) {
  CceBench all, skipping({.skips_tiles = true});
  const CceCase weak = two_kinds(-30), strong = two_kinds(-3);
  EXPECT_EQ(skipping.run(strong), all.run(strong));
  const CceResults<float> skipped = skipping.run(weak), whole = all.run(weak);
  EXPECT_EQ(skipped.loss, whole.loss);
  EXPECT_EQ(skipped.dbias, whole.dbias) << "made of the shares alone, which are there";
  EXPECT_NE(skipped.dweight, whole.dweight) << "tokens past the first tile";
  expect_exact(skipped, weak, Tolerance{}, "skipped");
  EXPECT_EQ(skipping.reports(), "");
}

TEST(CceProduction, SkipsNothingIfEveryEntryHasAShare) {
  CceBench all, skipping({.skips_tiles = true});
  CceCase c = two_kinds(-30);
  c.label_smoothing = 1e-6;
  EXPECT_EQ(skipping.run(c), all.run(c));
}

TEST(CceLint, IsContent) {
  expect_lint_accepts(ASSAY_KERNELS "/cce/cce.metal");
}

}  // namespace
}  // namespace assay::metal::test
