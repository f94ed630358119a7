// Cases small enough to compute by hand, and the edges that are theorems: no frames, no labels, no rows, no alignment.
//
// With every logit 0 each class has y = 1 / C, so p = (number of alignments) / C^T.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/limits.h"
#include "tests/matchers.h"
#include "tests/metal/ctc/batch.h"

namespace assay::metal {
namespace {

using tests::infinity;

float log_f(double x) {
  return static_cast<float>(std::log(x));
}

TEST(CtcLossValues, OneFrameOneLabelIsCrossEntropy) {
  Batch batch(1, 3, {{2}});
  batch.activations = {0.0F, 0.0F, std::log(2.0F)};  // y = 1/4, 1/4, 1/2
  const Outcome outcome = run(batch);
  EXPECT_THAT(outcome.loss, ElementsAre(FloatEq(log_f(2))));
  EXPECT_THAT(outcome.gradient, ElementsAre(FloatEq(0.25F), FloatEq(0.25F), FloatEq(-0.5F)));
}

TEST(CtcLossValues, TwoFramesOneLabelHasThreeAlignments) {
  const Outcome outcome = run(Batch(2, 2, {{1}}));  // a-, -a, aa: each frame is a in 2 of 3
  EXPECT_THAT(outcome.loss, ElementsAre(FloatEq(log_f(4.0 / 3))));
  const float g = static_cast<float>(0.5 - 1.0 / 3);
  EXPECT_THAT(outcome.gradient, ElementsAre(FloatEq(g), FloatEq(-g), FloatEq(g), FloatEq(-g)));
}

TEST(CtcLossValues, ARepeatNeedsTheBlankBetween) {
  const Outcome outcome = run(Batch(3, 2, {{1, 1}}));  // a-a alone
  EXPECT_THAT(outcome.loss, ElementsAre(FloatEq(log_f(8))));
  EXPECT_THAT(outcome.gradient, ElementsAre(0.5F, -0.5F, -0.5F, 0.5F, 0.5F, -0.5F));
}

TEST(CtcLossValues, DifferentLabelsMaySkipTheBlankBetween) {
  const Outcome outcome = run(Batch(3, 3, {{1, 2}}));  // -ab, a-b, ab-, aab, abb
  EXPECT_THAT(outcome.loss, ElementsAre(FloatEq(log_f(27.0 / 5))));
  const auto g = [](double count) { return FloatEq(static_cast<float>(1.0 / 3 - count / 5)); };
  EXPECT_THAT(outcome.gradient, ElementsAre(g(1), g(4), g(0), g(1), g(2), g(2), g(1), g(0), g(4)));
}

TEST(CtcLossValues, AnyClassCanBeTheBlank) {
  Batch batch(3, 3, {{1, 0}});
  batch.options.blank = 2;
  const Outcome outcome = run(batch);
  EXPECT_THAT(outcome.loss, ElementsAre(FloatEq(log_f(27.0 / 5))));
  const auto g = [](double count) { return FloatEq(static_cast<float>(1.0 / 3 - count / 5)); };
  EXPECT_THAT(outcome.gradient, ElementsAre(g(0), g(4), g(1), g(2), g(2), g(1), g(4), g(0), g(1)));
}

TEST(CtcLossValues, WithoutLabelsEveryFrameIsBlank) {
  const Outcome outcome = run(Batch(4, 2, {{}}));
  EXPECT_THAT(outcome.loss, ElementsAre(FloatEq(4 * log_f(2))));
  EXPECT_THAT(outcome.gradient, ElementsAre(-0.5F, 0.5F, -0.5F, 0.5F, -0.5F, 0.5F, -0.5F, 0.5F));
}

TEST(CtcLossValues, OneClassAloneIsCertain) {
  Batch batch(3, 1, {{}});
  batch.activations = {-7.0F, 1e30F, 3.0F};
  const Outcome outcome = run(batch);
  EXPECT_THAT(outcome.loss, ElementsAre(0.0F));
  EXPECT_FALSE(std::signbit(outcome.loss[0]));
  EXPECT_THAT(outcome.gradient, Each(0.0F));
}

TEST(CtcLossValues, WithoutFramesOnlyTheEmptyLabelIsPossible) {
  Batch batch(0, 3, {{}, {1}});
  EXPECT_THAT(run(batch).loss, ElementsAre(0.0F, infinity));
  batch.options.zero_infinity = true;
  EXPECT_THAT(run(batch).loss, ElementsAre(0.0F, 0.0F));
}

TEST(CtcLossValues, ARowOfNoFramesInALongerBatchHasNoGradient) {
  Batch batch(2, 2, {{}, {1}});
  batch.input_lengths = {0, 0};
  const Outcome outcome = run(batch);
  EXPECT_THAT(outcome.loss, ElementsAre(0.0F, infinity));
  EXPECT_THAT(outcome.gradient, Each(0.0F));
}

TEST(CtcLossValues, WithoutRowsReductionsAreZero) {
  Batch batch(2, 3, {});
  EXPECT_TRUE(run(batch).loss.empty());
  for (const Reduction reduction : {Reduction::sum, Reduction::mean}) {
    batch.options.reduction = reduction;
    EXPECT_THAT(run(batch).loss, ElementsAre(0.0F));
  }
}

TEST(CtcLossValues, ARowWithoutAlignmentIsInfiniteAndSpoilsNoOther) {
  Batch batch(3, 2, {{1, 1}, {1, 1}});
  const Outcome alone = run(Batch(3, 2, {{1, 1}}));
  batch.input_lengths = {3, 2};
  const Outcome outcome = run(batch);
  EXPECT_THAT(outcome.loss, ElementsAre(alone.loss[0], infinity));
  for (std::int64_t t = 0; t < 3; ++t)
    for (std::int64_t c = 0; c < 2; ++c) {
      EXPECT_EQ(outcome.gradient[batch.index(t, 0, c)], alone.gradient[static_cast<std::size_t>(2 * t + c)]);
      const float infeasible = outcome.gradient[batch.index(t, 1, c)];
      EXPECT_TRUE(t < 2 ? std::isnan(infeasible) : infeasible == 0.0F);
    }
}

TEST(CtcLossValues, ZeroInfinityMakesItNothing) {
  Batch batch(2, 2, {{1, 1}});
  batch.options.zero_infinity = true;
  const Outcome outcome = run(batch);
  EXPECT_THAT(outcome.loss, ElementsAre(0.0F));
  EXPECT_THAT(outcome.gradient, Each(0.0F));
}

TEST(CtcLossValues, AZeroProbabilityOnEveryAlignmentIsNoAlignment) {
  Batch batch(2, 3, {{1}});
  batch.at(0, 0, 1) = batch.at(1, 0, 1) = -infinity;
  Outcome outcome = run(batch);
  EXPECT_THAT(outcome.loss, ElementsAre(infinity));
  for (const float g : outcome.gradient) EXPECT_TRUE(std::isnan(g));
  batch.options.zero_infinity = true;
  outcome = run(batch);
  EXPECT_THAT(outcome.loss, ElementsAre(0.0F));
  EXPECT_THAT(outcome.gradient, Each(0.0F));
}

TEST(CtcLossValues, AZeroProbabilityBesideAnotherAlignmentIsLeftOut) {
  Batch batch(2, 2, {{1}});
  batch.at(0, 0, 1) = -infinity;  // leaves -a
  const Outcome outcome = run(batch);
  EXPECT_THAT(outcome.loss, ElementsAre(FloatEq(log_f(2))));
  EXPECT_THAT(outcome.gradient, ElementsAre(0.0F, 0.0F, 0.5F, -0.5F));
}

TEST(CtcLossValues, ReductionsWeighLossAndGradient) {
  Batch batch(3, 2, {{1, 1}, {}});  // ln 8, ln 8
  batch.upstream = {2.0F, -3.0F};
  const Outcome rows = run(batch);
  EXPECT_THAT(rows.loss, ElementsAre(FloatEq(log_f(8)), FloatEq(log_f(8))));
  EXPECT_FLOAT_EQ(rows.gradient[batch.index(0, 0, 0)], 2 * 0.5F);
  EXPECT_FLOAT_EQ(rows.gradient[batch.index(0, 1, 0)], -3 * -0.5F);

  batch.options.reduction = Reduction::sum;
  batch.upstream = {5.0F};
  const Outcome sum = run(batch);
  EXPECT_THAT(sum.loss, ElementsAre(FloatEq(2 * log_f(8))));
  EXPECT_FLOAT_EQ(sum.gradient[batch.index(0, 0, 0)], 5 * 0.5F);

  batch.options.reduction = Reduction::mean;
  const Outcome mean = run(batch);
  EXPECT_THAT(mean.loss, ElementsAre(FloatEq(0.5F * (log_f(8) / 2 + log_f(8)))));  // S = 2, and max(0, 1)
  EXPECT_FLOAT_EQ(mean.gradient[batch.index(0, 0, 0)], 5 * 0.5F / 4);
  EXPECT_FLOAT_EQ(mean.gradient[batch.index(0, 1, 0)], 5 * -0.5F / 2);
}

TEST(CtcLossValues, AZeroUpstreamLeavesThePlusZeroGradient) {
  Batch batch(2, 2, {{1}});
  for (const float zero : {0.0F, -0.0F}) {
    batch.upstream = {zero};
    for (const float g : run(batch).gradient) EXPECT_TRUE(g == 0.0F && !std::signbit(g));
  }
}

TEST(CtcLossValues, TheVariableDecidesWhetherYIsInTheGradient) {
  Batch batch(2, 2, {{1}});
  batch.options.variable = CtcVariable::log_probs;
  const auto posterior = FloatEq(static_cast<float>(-2.0 / 3)), blank = FloatEq(static_cast<float>(-1.0 / 3));
  EXPECT_THAT(run(batch).gradient, ElementsAre(blank, posterior, blank, posterior));
  batch.options.input = CtcInput::log_probs;  // ln y = 0: y = 1, p = 3
  EXPECT_THAT(run(batch).gradient, ElementsAre(blank, posterior, blank, posterior));
  EXPECT_THAT(run(batch).loss, ElementsAre(FloatEq(-log_f(3))));
  batch.options.variable = CtcVariable::logits;
  const float g = static_cast<float>(1.0 / 3);
  EXPECT_THAT(run(batch).gradient, ElementsAre(FloatEq(2 * g), FloatEq(g), FloatEq(2 * g), FloatEq(g)));
}

TEST(CtcLossValues, AClassInNoLabelHasNoGradientWithRespectToLogProbs) {
  Batch batch(2, 4, {{1}});
  batch.options.variable = CtcVariable::log_probs;
  const Outcome outcome = run(batch);
  for (std::int64_t t = 0; t < 2; ++t)
    for (std::int64_t c : {2, 3}) EXPECT_EQ(outcome.gradient[batch.index(t, 0, c)], 0.0F);
}

}  // namespace
}  // namespace assay::metal
