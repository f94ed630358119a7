// Linear cross-entropy against its definition in double: shapes around every tile and chunk, every option and each with
// each other, every type.
#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <tuple>

#include "tests/limits.h"
#include "tests/metal/cce/truth.h"

namespace assay::metal {
namespace {

using tests::infinity;
using tests::nan;

template <class Real>
void expect_right(const CceCase<Real>& given, const CallOptions& how = {}) {
  const CceTruth truth = truth_of(given.problem());
  {
    SCOPED_TRACE("fused");
    expect_truth(fused(given, how), truth);
  }
  SCOPED_TRACE("separate");
  expect_truth(separate(given, how), truth);
}

template <class Real>
class CceLossValues : public testing::Test {};
using Types = testing::Types<float, Half, BFloat16>;
TYPED_TEST_SUITE(CceLossValues, Types);

TYPED_TEST(CceLossValues, ShapesAroundChunksAndTiles) {
  CallOptions how;
  how.tuning.chunk = 64;
  how.tuning.tile_rows = 16;
  for (const std::int64_t V : {1, 2, 15, 16, 17, 63, 64, 65, 127, 128, 129, 200})
    for (const std::int64_t N : {1, 2, 15, 16, 17, 33})
      for (const std::int64_t H : {1, 7, 8, 24}) {
        SCOPED_TRACE("N=" + std::to_string(N) + " H=" + std::to_string(H) + " V=" + std::to_string(V));
        expect_right(CceCase<TypeParam>(N, H, V), how);
      }
}

TYPED_TEST(CceLossValues, AtTheChunksOfProduction) {
  for (const std::int64_t V : {511, 512, 513, 767, 768, 769, 1300})
    expect_right(CceCase<TypeParam>(20, 31, V, 3.0, true));
}

TYPED_TEST(CceLossValues, NoTokens) {
  const CceCase<TypeParam> given(0, 5, 7, 1.0, true);
  for (const CceResult<TypeParam>& result : {fused(given), separate(given)}) {
    for (const TypeParam x : result.dweight) EXPECT_EQ(static_cast<float>(x), 0.0F);
    for (const TypeParam x : result.dbias) EXPECT_EQ(static_cast<float>(x), 0.0F);
  }
}

/// With every option that has bit b of `options` set.
template <class Real>
CceCase<Real> with_options(unsigned options, std::int64_t N = 40) {
  CceCase<Real> given(N, 12, 150, 3.0, (options & 1U) != 0);
  if ((options & 2U) != 0) given.options.logit_softcap = 4.0;
  if ((options & 4U) != 0) given.options.label_smoothing = 0.1;
  if ((options & 8U) != 0) given.options.z_loss = 0.01;
  if ((options & 16U) != 0) {
    for (const std::int64_t n : {0, 7, 8, 39}) {
      if (n >= N) break;
      given.targets[static_cast<std::size_t>(n)] = given.options.ignore_index;
      given.hidden[static_cast<std::size_t>(n * 12)] = static_cast<Real>(nan);
    }
  }
  if ((options & 32U) != 0) given.options.reduction = Reduction::mean;
  if ((options & 64U) != 0)
    for (int n = 0; n < ((options & 32U) != 0 ? 1 : N); ++n) given.upstream.push_back(0.5F * static_cast<float>(n - 3));
  return given;
}

TYPED_TEST(CceLossValues, EveryCombinationOfOptions) {
  CallOptions how;
  how.tuning.chunk = 32;
  how.tuning.tile_rows = 16;
  for (unsigned options = 0; options < 128; ++options) {
    SCOPED_TRACE("options=" + std::to_string(options));
    how.threads = options % 8 == 0 ? 2 : 1;
    expect_right(with_options<TypeParam>(options), how);
    expect_right(with_options<TypeParam>(options, 8), how);
  }
}

TYPED_TEST(CceLossValues, SumReductionAndFullSmoothing) {
  CceCase<TypeParam> given(9, 6, 40, 2.0);
  given.options.reduction = Reduction::sum;
  given.upstream = {-1.5F};
  expect_right(given);
  given.options.label_smoothing = 1.0;
  expect_right(given);
}

TYPED_TEST(CceLossValues, BlocksOfTokensWithinASmallBudget) {
  for (const std::int64_t budget : {1, 40'000, 100'000, 400'000})
    for (const unsigned options : {0U, 1U, 4U, 6U, 16U, 31U})
      for (const int threads : {1, 3}) {
        CallOptions how = {threads, {}};
        how.tuning.chunk = 32;
        how.tuning.tile_rows = 16;
        how.tuning.budget = budget;
        SCOPED_TRACE("budget=" + std::to_string(budget) + " options=" + std::to_string(options));
        expect_right(with_options<TypeParam>(options), how);
        if (options == 0) expect_right(CceCase<TypeParam>(500, 5, 70, 2.0), how);
      }
}

TYPED_TEST(CceLossValues, ManyThreadsThatDivideTokensToo) {
  CallOptions how = {16, {}};
  how.tuning.chunk = 32;
  how.tuning.budget = 400'000;  // room for the sums of two groups of entries
  expect_right(CceCase<TypeParam>(300, 64, 600, 2.0), how);
}

/// Floats cannot lie in dweight there.
TEST(CceLossValuesHalf, DweightThatIsNotAlignedAsAFloat) {
  const CceCase<Half> given(40, 64, 600, 2.0);
  CceResult<Half> result(given.problem());
  std::vector<Half> shifted(result.dweight.size() + 1);
  const std::span<Half> dweight = std::span(shifted).subspan(1);
  cce_loss<Half>(given.problem(), {result.loss, {result.dhidden, dweight, {}}}, {1});
  std::ranges::copy(dweight, result.dweight.begin());
  expect_truth(result, truth_of(given.problem()));
}

TYPED_TEST(CceLossValues, TheRarePassThatRaisesReferences) {
  CceCase<TypeParam> given(20, 4, 600, 1.0);
  for (std::size_t n = 0; n < 20; ++n) given.hidden[4 * n] = TypeParam(10.0F);
  given.weight[4 * 333] = TypeParam(20.0F);  // not an entry that references are taken from
  const CceTruth truth = truth_of(given.problem());
  expect_truth(fused(given), truth);
  expect_truth(separate(given), truth);
}

TEST(CceLossValuesFloat, WordsTakenOutByTheBias) {
  for (const bool capped : {false, true}) {
    CceCase<float> given(12, 6, 1100, 2.0, true);
    if (capped) given.options.logit_softcap = 3.0;
    for (std::size_t v = 0; v < 1000; ++v) given.bias[v] = -infinity;
    for (std::int64_t& target : given.targets) target = 1000 + target % 100;
    expect_right(given);
  }
}

TEST(CceLossValuesFloat, TargetTakenOutByTheBias) {
  CceCase<float> given(3, 6, 50, 2.0, true);
  given.bias[static_cast<std::size_t>(given.targets[1])] = -infinity;
  const CceTruth truth = truth_of(given.problem());
  for (const CceResult<float>& result : {fused(given), separate(given)}) {
    EXPECT_EQ(result.loss[1], infinity);
    expect_truth(result, truth);
  }
}

TEST(CceLossValuesFloat, SmoothingWithAWordTakenOut) {
  CceCase<float> given(3, 6, 50, 2.0, true);
  given.options.label_smoothing = 0.1;
  given.bias[5] = -infinity;
  given.targets = {1, 2, 3};
  const CceTruth truth = truth_of(given.problem());
  for (const CceResult<float>& result : {fused(given), separate(given)}) {
    for (const float loss : result.loss) EXPECT_EQ(loss, infinity);
    expect_truth(result, truth);
  }
}

TEST(CceLossValuesFloat, ConfidentTokens) {
  CceCase<float> given(4, 4, 100, 0.0);
  for (std::size_t n = 0; n < 4; ++n) given.hidden[4 * n] = 10.0F * static_cast<float>(n + 1);
  for (std::size_t v = 0; v < 100; ++v) given.weight[4 * v] = v == 42 ? 1.0F : 0.01F * static_cast<float>(v % 7);
  given.targets.assign(4, 42);
  const CceTruth truth = truth_of(given.problem());
  const CceResult<float> result = fused(given);
  for (std::size_t n = 0; n < 4; ++n)  // relative to a loss as small as 1e-15
    EXPECT_NEAR(result.loss[n] / truth.loss[n].value, 1.0, 1e-5) << n;
  expect_truth(result, truth);
}

TEST(CceLossValuesFloat, OffsetsOfAMillion) {
  CceCase<float> given(10, 8, 300, 2.0, true);
  for (float& bias : given.bias) bias = 0.0625F * std::round(16.0F * bias);
  const CceResult<float> before = fused(given);
  for (float& bias : given.bias) bias += 1e6F;
  const CceResult<float> after = fused(given);
  EXPECT_EQ(before.loss, after.loss);
  EXPECT_EQ(before.dhidden, after.dhidden);
  EXPECT_EQ(before.dweight, after.dweight);
}

}  // namespace
}  // namespace assay::metal
