// The error contract of linear cross-entropy, and which outputs are written: each alone, nothing beside them, the same
// bits each time, and in halves the same as at once.
#include <gtest/gtest.h>

#include <cblas.h>

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "metal/cpu/cce/any.h"
#include "tests/limits.h"
#include "tests/metal/cce/truth.h"
#include "tests/refusal.h"

namespace assay::metal {
namespace {

using tests::infinity;
using tests::nan;

std::string complaint_of(const CceCase<float>& given) {
  const std::string at_once = refusal_of([&] { fused(given); }), in_halves = refusal_of([&] { separate(given); });
  EXPECT_EQ(at_once, in_halves);
  return at_once;
}

TEST(CceLossArguments, RefusesValues) {
  CceCase<float> given(5, 4, 90, 1.0, true);
  EXPECT_EQ(complaint_of(given), "accepted");
  given.weight[4 * 70 + 2] = nan;
  EXPECT_EQ(complaint_of(given), "weight[v=70, h=2] = nan: expected a finite number");
  given.weight[4 * 70 + 2] = -infinity;
  EXPECT_EQ(complaint_of(given), "weight[v=70, h=2] = -inf: expected a finite number");
  given.targets.assign(5, 70);
  EXPECT_EQ(complaint_of(given), "weight[v=70, h=2] = -inf: expected a finite number");
  given.targets.assign(5, -100);
  EXPECT_EQ(complaint_of(given), "weight[v=70, h=2] = -inf: expected a finite number");
  given = CceCase<float>(5, 4, 90, 1.0, true);
  given.hidden[4 * 3] = infinity;
  EXPECT_EQ(complaint_of(given), "hidden[n=3, h=0] = inf: expected a finite number");
  given.targets[3] = -100;
  EXPECT_EQ(complaint_of(given), "accepted");
  given.bias[2] = infinity;
  EXPECT_EQ(complaint_of(given), "bias[v=2] = inf: expected a finite number or -inf");
  given.bias.assign(90, -infinity);
  EXPECT_EQ(complaint_of(given), "bias = -inf for every entry: expected a finite one, for the softmax of none is 0/0");
}

TEST(CceLossArguments, RefusesSizes) {
  const CceCase<float> given(5, 4, 9);
  CceResult<float> result(given.problem());
  CceOutput<float> output = result.output();
  output.loss = output.loss.first(4);
  EXPECT_EQ(refusal_of([&] { cce_loss(given.problem(), output); }),
            "loss.size() = 4: expected N for Reduction::none = 5");
  output = result.output();
  output.gradients.dhidden = output.gradients.dhidden.first(4);
  EXPECT_EQ(refusal_of([&] { cce_loss(given.problem(), output); }),
            "dhidden.size() = 4: expected N * H, or empty = 20");
  output = result.output();
  output.gradients.dbias = result.dweight;
  EXPECT_EQ(refusal_of([&] { cce_loss(given.problem(), output); }),
            "dbias.size() = 36: expected none for a problem without bias = 0");
  EXPECT_EQ(refusal_of([&] { cce_loss(given.problem(), result.output(), {-1}); }), "threads = -1: expected at least 0");
  EXPECT_EQ(refusal_of([&] { cce_forward(given.problem(), result.loss, std::span(result.log_sum_exp).first(2)); }),
            "log_sum_exp.size() = 2: expected N = 5");
}

TEST(CceLossArguments, RefusesOptions) {
  CceCase<float> given(5, 4, 9);
  given.targets[3] = 9;
  EXPECT_EQ(complaint_of(given), "targets[n=3] = 9: expected an index in [0, V=9) or ignore_index=-100");
  given.targets[3] = 0;
  given.options.label_smoothing = 1.5;
  EXPECT_EQ(complaint_of(given), "label_smoothing = 1.5: expected a number in [0, 1]");
}

TEST(CceLossArguments, RefusesMixedTypes) {
  const CceCase<float> given(5, 4, 9);
  const std::vector<Half> halves(36);
  AnyCceProblem any = {given.problem(), std::span<const float>(given.hidden), std::span<const Half>(halves), {}};
  EXPECT_EQ(refusal_of([&] { with_types(any, {}, [](const auto&, const auto&) {}); }),
            "weight is float16: expected float32, as hidden is");
}

template <class Real>
class CceLossOutputs : public testing::Test {};
using Types = testing::Types<float, Half, BFloat16>;
TYPED_TEST_SUITE(CceLossOutputs, Types);

/// All that is wanted is right, and nothing else is written.
template <class Real>
void expect_wanted(CceResult<Real>& result, const CceTruth& truth, unsigned wanted) {
  expect_loss(result, truth);
  const auto expect_one = [&](unsigned bit, const char* what, std::vector<Real>& got, const std::vector<Sized>& exact) {
    if ((wanted & bit) != 0) {
      expect_gradient(what, got, exact);
    } else {
      EXPECT_TRUE(are_all(poison, got)) << what;
    }
    std::ranges::fill(got, Real(poison));
  };
  expect_one(1, "dhidden", result.dhidden, truth.dhidden);
  expect_one(2, "dweight", result.dweight, truth.dweight);
  expect_one(4, "dbias", result.dbias, truth.dbias);
}

TYPED_TEST(CceLossOutputs, EachAloneIsRight) {
  const CceCase<TypeParam> given(40, 12, 700, 2.0, true);
  const CceTruth truth = truth_of(given.problem());
  for (unsigned wanted = 0; wanted < 8; ++wanted) {
    CceResult<TypeParam> result(given.problem());
    CceGradients<TypeParam> gradients = result.output().gradients;
    if ((wanted & 1U) == 0) gradients.dhidden = {};
    if ((wanted & 2U) == 0) gradients.dweight = {};
    if ((wanted & 4U) == 0) gradients.dbias = {};
    cce_loss(given.problem(), {result.loss, gradients}, {2});
    expect_wanted(result, truth, wanted);
    cce_forward(given.problem(), result.loss, result.log_sum_exp, {2});
    cce_backward(given.problem(), result.log_sum_exp, gradients, {2});
    expect_wanted(result, truth, wanted);
  }
}

TYPED_TEST(CceLossOutputs, EqualInputsGiveEqualBits) {
  const CceCase<TypeParam> given(300, 40, 2100, 2.0, true);
  for (const int threads : {1, 2, 3}) {
    const CceResult<TypeParam> first = fused(given, {threads, {}});
    for (int again = 0; again < 3; ++again) {
      const CceResult<TypeParam> next = fused(given, {threads, {}});
      EXPECT_TRUE(same_bits(first.loss, next.loss));
      EXPECT_TRUE(same_bits(first.dhidden, next.dhidden));
      EXPECT_TRUE(same_bits(first.dweight, next.dweight));
      EXPECT_TRUE(same_bits(first.dbias, next.dbias));
    }
  }
}

TYPED_TEST(CceLossOutputs, SixteenBitLossesAreThoseOfTheirFloats) {
  const CceCase<TypeParam> given(30, 40, 700, 2.0, true);
  CceCase<float> floats(0, 40, 700);
  floats.options.N = 30;
  floats.hidden.assign(given.hidden.begin(), given.hidden.end());
  floats.weight.assign(given.weight.begin(), given.weight.end());
  floats.bias.assign(given.bias.begin(), given.bias.end());
  floats.targets = given.targets;
  const CceResult<TypeParam> stored = fused(given);
  const CceResult<float> exact = fused(floats);
  for (std::size_t n = 0; n < 30; ++n) EXPECT_NEAR(stored.loss[n], exact.loss[n], 0x1p-20 * exact.loss[n]);
}

TEST(CceLossThreads, TheBlasKeepsItsSetting) {
  openblas_set_num_threads(2);
  fused(CceCase<float>(30, 4, 900));
  EXPECT_EQ(openblas_get_num_threads(), 2);
}

}  // namespace
}  // namespace assay::metal
