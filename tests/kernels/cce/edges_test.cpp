// Extents at, below and above those of tiles, slabs, chunks and parts, with every check of the emulator on.
#include <fmt/format.h>

#include "tests/kernels/cce/bench.h"
#include "tests/kernels/cce/paths.h"

namespace assay::metal::test {
namespace {

class CceEdges : public testing::TestWithParam<CcePath> {
 protected:
  void TearDown() override { EXPECT_EQ(bench_.reports(), ""); }
  void expect_right(std::int64_t N, std::int64_t H, std::int64_t V) const {
    const CceCase c = some_cce(N, H, V, true);
    expect_exact(bench_.run(c), c, tolerance_of(GetParam()), fmt::format("N={} H={} V={}", N, H, V));
  }

  CceBench bench_{{.path = GetParam()}};
};

TEST_P(CceEdges, OfTheVocabulary) {
  for (const std::int64_t V : {1, 2, 7, 8, 9, 31, 32, 33, 63, 64, 65, 127, 128, 129}) expect_right(3, 5, V);
}

TEST_P(CceEdges, OfTokens) {
  for (const std::int64_t N : {0, 1, 2, 32, 40, 41, 80, 81, 82}) expect_right(N, 5, 11);
}

TEST_P(CceEdges, OfTheHiddenSize) {
  for (const std::int64_t H : {1, 7, 8, 9, 31, 32, 33, 63, 64, 65}) expect_right(3, H, 11);
}

TEST_P(CceEdges, OfAPartOfTheVocabulary) {
  for (const std::int64_t V : {8191, 8192, 8193}) expect_right(2, 1, V);
}

TEST_P(CceEdges, OfNothingLeft) {
  for (const Reduction reduction : {Reduction::none, Reduction::sum, Reduction::mean}) {
    CceCase c = some_cce(5, 3, 7, true);
    c.reduction = reduction;
    std::ranges::fill(c.targets, -100);
    const CceResults<float> results = bench_.run(c);
    for (const auto* const values : {&results.loss, &results.dhidden, &results.dweight, &results.dbias})
      for (const float value : *values) EXPECT_EQ(value, 0.0F);
  }
}

/// Chunks of 32, of which the last is not whole; one chunk of all; and the half of results at a time.
TEST_P(CceEdges, OfChunks) {
  CceBench chunked({.path = GetParam(), .chunk = 32}), larger({.path = GetParam(), .chunk = 64});
  for (const auto& [N, H, V] : {std::tuple{90, 9, 70}, {40, 33, 32}, {3, 5, 33}}) {
    const CceCase c = some_cce(N, H, V, true);
    const CceResults<float> whole = bench_.run(c), in_chunks = chunked.run(c);
    expect_exact(in_chunks, c, tolerance_of(GetParam()), "chunks");
    if (GetParam() == CcePath::production) {
      EXPECT_EQ(in_chunks, whole);
      EXPECT_EQ(larger.run(c), whole);
    }
  }
  EXPECT_EQ(chunked.reports(), "");
  EXPECT_EQ(larger.reports(), "");
}

/// lse on the way from the one to the other is a double: of ordinary tokens nothing is lost there.
TEST_P(CceEdges, OfTwoHalves) {
  const Typed<float> typed(some_cce(9, 9, 70, true));
  const CceProblem<float> problem = typed.problem();
  CceResults<float> whole(problem), halves(problem);
  std::vector<double> lse(9, 12345.0);
  or_throw(bench_.loss()(problem, whole.spans()));
  or_throw(bench_.loss().forward<float>(problem, halves.loss, lse));
  or_throw(bench_.loss().backward<float>(problem, lse, halves.gradients()));
  EXPECT_EQ(halves, whole);
  reference::cce_outcome<double>(problem, [&](std::int64_t n, const reference::CceRow<double>& row) {
    EXPECT_NEAR(lse[static_cast<std::size_t>(n)], row.lse, 1e-6);
  });
  EXPECT_EQ(lse[3], 0.0) << "ignored";
}

TEST_P(CceEdges, OfWhatIsWanted) {
  const Typed<float> typed(some_cce(9, 9, 70, true));
  const CceProblem<float> problem = typed.problem();
  CceResults<float> whole(problem);
  or_throw(bench_.loss()(problem, whole.spans()));
  for (int wanted = 0; wanted < 8; ++wanted) {
    CceResults<float> some(problem);
    CceGradients<float> gradients = some.gradients();
    if ((wanted & 1) == 0) gradients.dhidden = {};
    if ((wanted & 2) == 0) gradients.dweight = {};
    if ((wanted & 4) == 0) gradients.dbias = {};
    or_throw(bench_.loss()(problem, {some.loss, gradients}));
    EXPECT_EQ(some.loss, whole.loss);
    EXPECT_EQ(some.dhidden == whole.dhidden, (wanted & 1) != 0);
    EXPECT_EQ(some.dweight == whole.dweight, (wanted & 2) != 0);
    EXPECT_EQ(some.dbias == whole.dbias, (wanted & 4) != 0);
  }
}

INSTANTIATE_TEST_SUITE_P(All, CceEdges, both_paths(), name_of_path);

}  // namespace
}  // namespace assay::metal::test
