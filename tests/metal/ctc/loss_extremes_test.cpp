// Sizes and magnitudes at which kernels lose digits, underflow or overflow.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>

#include "tests/limits.h"
#include "tests/matchers.h"
#include "tests/metal/ctc/batch.h"

namespace assay::metal {
namespace {

using tests::infinity;
constexpr float largest = std::numeric_limits<float>::max();

std::vector<std::int64_t> range(std::int64_t first, std::int64_t count) {
  std::vector<std::int64_t> labels(static_cast<std::size_t>(count));
  std::iota(labels.begin(), labels.end(), first);
  return labels;
}

Batch random_batch(std::int64_t T, std::int64_t C, std::int64_t S, float scale) {
  std::mt19937_64 bits(5);
  std::vector<std::int64_t> labels(static_cast<std::size_t>(S));
  for (auto& label : labels) label = 1 + static_cast<std::int64_t>(bits() % static_cast<std::uint64_t>(C - 1));
  Batch batch(T, C, {labels});
  std::normal_distribution<float> normal(0.0F, scale);
  for (float& activation : batch.activations) activation = normal(bits);
  return batch;
}

/// ln of the number of alignments of S labels without repeats: the binomial coefficient (T + S over 2S).
double log_alignments(double T, double S) {
  return std::lgamma(T + S + 1) - std::lgamma(2 * S + 1) - std::lgamma(T - S + 1);
}

/// Every frame's gradient with respect to logits sums to 0, to within the rounding of its elements.
void expect_frames_sum_to_zero(const Batch& batch, const Outcome& outcome) {
  const auto C = static_cast<std::ptrdiff_t>(batch.options.C);
  for (auto frame = outcome.gradient.begin(); frame != outcome.gradient.end(); frame += C) {
    const double sum = std::accumulate(frame, frame + C, 0.0);
    const double size = std::accumulate(frame, frame + C, 0.0, [](double s, float g) { return s + std::fabs(g); });
    EXPECT_LE(std::fabs(sum), 0x1p-23 * size + 1e-11);
    EXPECT_LE(size, 2.0 + 1e-6);
  }
}

TEST(CtcLossExtremes, CountsTheAlignmentsOfAThousandLabels) {
  const Batch batch(2000, 5000, {range(1, 1000)});
  const Outcome outcome = run(batch);
  const double loss = 2000 * std::log(5000.0) - log_alignments(2000, 1000);
  EXPECT_NEAR(outcome.loss[0], loss, 2e-7 * loss);
  expect_frames_sum_to_zero(batch, outcome);
}

TEST(CtcLossExtremes, AsManyLabelsAsFramesLeaveOneAlignment) {
  const Batch batch(700, 800, {range(1, 700)});
  const Outcome outcome = run(batch);
  EXPECT_THAT(outcome.loss, ElementsAre(FloatEq(static_cast<float>(700 * std::log(800.0)))));
  for (std::int64_t t = 0; t < 700; ++t) EXPECT_FLOAT_EQ(outcome.gradient[batch.index(t, 0, t + 1)], 1.0F / 800 - 1.0F);
}

TEST(CtcLossExtremes, StaysFiniteWhereScaledProbabilitiesUnderflow) {
  for (const float scale : {1.0F, 10.0F, 50.0F}) {
    const Batch batch = random_batch(2000, 64, 400, scale);
    const Outcome outcome = run(batch);
    EXPECT_TRUE(std::isfinite(outcome.loss[0]) && outcome.loss[0] > 1000.0F);
    expect_frames_sum_to_zero(batch, outcome);
  }
}

TEST(CtcLossExtremes, NormalizesOverEveryNumberOfClasses) {
  for (std::int64_t C = 2; C <= 40; ++C) {
    const Outcome outcome = run(Batch(3, C, {{1}}));
    for (std::int64_t c = 2; c < C; ++c)
      EXPECT_EQ(outcome.gradient[static_cast<std::size_t>(c)], static_cast<float>(1.0 / static_cast<double>(C)));
  }
}

TEST(CtcLossExtremes, IsTheSameForLogitsShiftedByAConstant) {
  std::mt19937 bits(3);
  Batch batch = random_batch(20, 9, 6, 1.0F);
  for (float& activation : batch.activations) activation = static_cast<float>(bits() % 1024) / 64.0F;
  const Outcome before = run(batch);
  for (float& activation : batch.activations) activation -= 4096.0F;  // exact
  const Outcome after = run(batch);
  EXPECT_EQ(before.loss, after.loss);
  EXPECT_EQ(before.gradient, after.gradient);
}

TEST(CtcLossExtremes, ACertainAlignmentHasNoNegativeLoss) {
  std::vector<std::int64_t> labels(300);
  for (std::size_t s = 0; s < labels.size(); ++s) labels[s] = 1 + static_cast<std::int64_t>(s % 29);
  for (const float margin : {0.0F, 20.0F, 36.0F, 40.0F, 100.0F, 1e4F}) {
    Batch batch(300, 30, {labels});  // one alignment, each frame of which is all but certain
    for (std::int64_t t = 0; t < 300; ++t) batch.at(t, 0, t % 29 + 1) = margin;
    const float loss = run(batch).loss[0];
    EXPECT_FALSE(std::signbit(loss));
    EXPECT_NEAR(loss, 300 * std::log1p(29 * std::exp(-static_cast<double>(margin))), 1e-7 * loss + 1e-12) << margin;
  }
}

TEST(CtcLossExtremes, ProbabilitiesThatRoundToMoreThanOneHaveNoNegativeLoss) {
  Batch batch(2, 2, {{1}});
  batch.at(1, 0, 0) = -100.0F;  // p = y(1, 1) (y(0, 0) + y(0, 1)), the sum of two rounded numbers
  for (int i = 0; i < 2000; ++i) {
    batch.at(0, 0, 0) = 0.01F * static_cast<float>(i);
    EXPECT_FALSE(std::signbit(run(batch).loss[0])) << i;
  }
}

TEST(CtcLossExtremes, ACertainRowOfLogProbsHasNoNegativeZero) {
  Batch batch(3, 2, {{}});
  batch.options.input = CtcInput::log_probs;
  for (std::int64_t t = 0; t < 3; ++t) batch.at(t, 0, 1) = -infinity;
  for (const Reduction reduction : {Reduction::none, Reduction::sum, Reduction::mean}) {
    batch.options.reduction = reduction;
    const float loss = run(batch).loss[0];
    EXPECT_TRUE(loss == 0.0F && !std::signbit(loss));
  }
}

TEST(CtcLossExtremes, ImpossibleClassesBesidePossibleOnes) {
  Batch batch(200, 12, {{1, 2, 2, 3}});
  for (std::int64_t t = 0; t < 200; ++t)
    for (std::int64_t c = 4; c < 12; ++c) batch.at(t, 0, c) = -infinity;
  const Outcome outcome = run(batch);
  Batch possible(200, 4, {{1, 2, 2, 3}});
  EXPECT_THAT(outcome.loss, ElementsAre(FloatEq(run(possible).loss[0])));
  for (std::int64_t t = 0; t < 200; ++t)
    for (std::int64_t c = 4; c < 12; ++c) EXPECT_EQ(outcome.gradient[batch.index(t, 0, c)], 0.0F);
}

TEST(CtcLossExtremes, EqualHugeLogitsAreEqual) {
  for (const float level : {1e30F, -1e30F, largest, -largest}) {
    Batch batch(3, 3, {{1, 2}});
    std::ranges::fill(batch.activations, level);
    const Outcome outcome = run(batch), zero = run(Batch(3, 3, {{1, 2}}));
    EXPECT_EQ(outcome.loss, zero.loss);
    EXPECT_EQ(outcome.gradient, zero.gradient);
  }
}

TEST(CtcLossExtremes, AHugeLogitAgainstTheLabelCostsItsSize) {
  Batch batch(2, 3, {{1}});
  for (std::int64_t t : {0, 1}) batch.at(t, 0, 0) = 1e30F;
  batch.at(0, 0, 1) = 1.0F;
  batch.at(1, 0, 1) = 2.0F;  // a- and -a, with weights e and e^2
  const Outcome outcome = run(batch);
  EXPECT_THAT(outcome.loss, ElementsAre(FloatEq(1e30F)));
  const float first = static_cast<float>(1.0 / (1.0 + std::exp(1.0)));
  EXPECT_THAT(outcome.gradient,
              ElementsAre(FloatEq(first), FloatEq(-first), 0.0F, FloatEq(1.0F - first), FloatEq(first - 1.0F), 0.0F));
}

TEST(CtcLossExtremes, ALossBeyondFloatsIsInfiniteWithAFiniteGradient) {
  Batch batch(1, 2, {{1}});
  batch.activations = {largest, -largest};
  const Outcome outcome = run(batch);
  EXPECT_THAT(outcome.loss, ElementsAre(infinity));
  EXPECT_THAT(outcome.gradient, ElementsAre(1.0F, -1.0F));
}

TEST(CtcLossExtremes, HugeLossesKeepTheirDigits) {
  Batch batch(500, 4, {{1, 2, 3}});
  for (std::int64_t t = 0; t < 500; ++t) batch.at(t, 0, 0) = -1e6F;  // 500 frames of blanks and labels
  for (std::int64_t t = 0; t < 500; ++t)
    for (std::int64_t c = 1; c < 4; ++c) batch.at(t, 0, c) = c == 1 ? 0.0F : -1e6F;
  const Outcome outcome = run(batch);  // label 1 for 498 frames, then 2 and 3 at 1e6 each
  EXPECT_THAT(outcome.loss, ElementsAre(FloatEq(2e6F)));
  expect_frames_sum_to_zero(batch, outcome);
}

TEST(CtcLossExtremes, LogProbsNeedNotBeNormalizedNorPossible) {
  Batch batch(2, 3, {{1}});
  batch.options.input = CtcInput::log_probs;
  batch.activations = {-infinity, -infinity, -infinity, 5.0F, 7.0F, 9.0F};
  EXPECT_THAT(run(batch).loss, ElementsAre(infinity));
  batch.activations = {1000.0F, 2000.0F, -3000.0F, 1000.0F, 2000.0F, -3000.0F};
  const Outcome outcome = run(batch);
  EXPECT_THAT(outcome.loss, ElementsAre(FloatEq(-4000.0F)));
  EXPECT_THAT(outcome.gradient, ElementsAre(infinity, infinity, 0.0F, infinity, infinity, 0.0F));
  batch.options.variable = CtcVariable::log_probs;
  EXPECT_THAT(run(batch).gradient, ElementsAre(0.0F, -1.0F, 0.0F, 0.0F, -1.0F, 0.0F));
}

}  // namespace
}  // namespace assay::metal
