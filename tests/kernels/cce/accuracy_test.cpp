// How far off the kernels are, against the definition in double.
#include <fmt/format.h>

#include "tests/kernels/cce/bench.h"
#include "tests/kernels/cce/paths.h"

namespace assay::metal::test {
namespace {

class CceAccuracy : public testing::TestWithParam<CcePath> {
 protected:
  static emulator::EmulatorOptions unchecked() {
    emulator::EmulatorOptions options;
    options.is_checked = false;
    return options;
  }
  CceBench bench_{{.path = GetParam()}, unchecked()};
};

/// Random logits, whose errors are those of sums over H and V.
TEST_P(CceAccuracy, IsThatOfFloatSums) {
  for (const double scale : {1.0, 10.0}) {
    const CceCase c = some_cce(24, 96, 3000, true, scale);
    const double sums = GetParam() == CcePath::plain ? 4e-6 : 1e-6;  // one chain of V terms, or short ones
    expect_exact(bench_.run(c), c, {4e-7 * scale, sums * scale}, fmt::format("scale {}", scale));
  }
}

/// Eighths, which float32 holds exactly up to 2^20: logits without an error.
CceCase eighths(std::int64_t N, std::int64_t H, std::int64_t V) {
  CceCase c = some_cce(N, H, V);
  for (float& x : c.hidden) x = std::isnan(x) ? x : std::clamp(std::rint(2 * x), -2.0F, 2.0F);
  for (float& w : c.weight) w = std::clamp(std::rint(4 * w) / 8, -1.0F, 1.0F);
  return c;
}

TEST_P(CceAccuracy, DoesNotSufferFromACommonOffset) {
  for (const float offset : {0.0F, 1e6F, -1e6F, 0x1p20F}) {
    CceCase c = eighths(12, 6, 300);
    c.bias.assign(300, offset);
    expect_exact(bench_.run(c), c, {4e-7, 1e-6}, fmt::format("offset {}", offset));
    CceCase any = some_cce(12, 6, 300);
    any.bias.assign(300, offset);
    any.z_loss = 1e-13;
    expect_exact(bench_.run(any), any, {4e-7, 2e-6}, fmt::format("any logits, offset {}", offset));
  }
}

/// Each token sure of its target, by `margin`.
CceCase confident_case(float margin) {
  CceCase c = some_cce(10, 40, 40);
  for (std::int64_t n = 0; n < c.N; ++n)
    for (std::int64_t h = 0; h < c.H && c.targets[static_cast<std::size_t>(n)] >= 0; ++h)
      c.hidden[static_cast<std::size_t>(n * c.H + h)] =
          h == c.targets[static_cast<std::size_t>(n)] ? margin : static_cast<float>(h % 7) * 0.125F;
  std::ranges::fill(c.weight, 0.0F);
  for (std::int64_t v = 0; v < c.V; ++v) c.weight[static_cast<std::size_t>(v * c.H + v)] = 1;
  return c;
}

/// On the production path: the plain one subtracts from 1.
TEST(CceOfConfidentTokens, KeepsLossesAndGradientsToTheirLastDigits) {
  CceBench bench;
  for (const float margin : {10.0F, 17.0F, 30.0F, 60.0F, 80.0F}) {
    const CceCase c = confident_case(margin);
    const CceResults<float> results = bench.run(c);
    expect_exact(results, c, {1e-6, 1e-6}, fmt::format("margin {}", margin));
    for (const float loss : results.loss) EXPECT_GE(loss, 0.0F);
  }
}

/// Many entries, of which the first 8192 and more are out of the vocabulary; of logits in rising order the largest is
/// always the last.
TEST_P(CceAccuracy, SurvivesVocabulariesInAnyOrder) {
  CceCase c = eighths(3, 2, 8300);
  c.bias.assign(8300, 0.125F);
  std::fill_n(c.bias.begin(), 8250, -std::numeric_limits<float>::infinity());
  for (std::int64_t& target : c.targets) target = target < 0 ? target : 8250 + target % 50;
  expect_exact(bench_.run(c), c, {4e-7, 1e-6}, "leading -inf");
  for (std::size_t v = 0; v < c.bias.size(); ++v) c.bias[v] = static_cast<float>(v) * 0.125F;
  expect_exact(bench_.run(c), c, {4e-7, 2e-6}, "rising");
  std::ranges::reverse(c.bias);
  expect_exact(bench_.run(c), c, {4e-7, 2e-6}, "falling");
}

TEST_P(CceAccuracy, OfATargetWithoutProbabilityIsInfinite) {
  CceCase c = some_cce(5, 3, 40, true);
  c.bias[static_cast<std::size_t>(c.targets[0])] = -std::numeric_limits<float>::infinity();
  const CceResults<float> results = bench_.run(c);
  EXPECT_EQ(results.loss[0], std::numeric_limits<float>::infinity());
  expect_exact(results, c, {4e-7, 1e-6});
}

INSTANTIATE_TEST_SUITE_P(All, CceAccuracy, both_paths(), name_of_path);

}  // namespace
}  // namespace assay::metal::test
