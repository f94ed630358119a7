// The quantities of ctc_steps in exact rationals: both gradients against enumeration, the invariants, the scaled
// variables.
#include "reference/ctc/steps.h"

#include <gtest/gtest.h>

#include "reference/ctc/enumeration.h"
#include "reference/ctc/scaled.h"
#include "reference/number/big_float.h"
#include "reference/number/exact.h"
#include "reference/number/log_number.h"

namespace assay::reference {
namespace {

/// y [T, C] of fractions that add up to 1 in each frame, no two frames alike.
Matrix<Rational> outputs(std::int64_t T, std::int64_t C) {
  Matrix<Rational> y(T, C);
  for (std::int64_t t = 0; t < T; ++t) {
    const std::int64_t sum = C * (C + 1) / 2 + C * t;
    for (std::int64_t k = 0; k < C; ++k) y(t, k) = Rational((k + t) % C + 1 + t) / Rational(sum);
  }
  return y;
}

const std::vector<std::vector<std::int64_t>> label_sequences = {{}, {1}, {1, 2}, {1, 1}, {2, 1, 1}};

TEST(Steps, ProbabilityAndGradientsAreThoseOfTheDefinition) {
  for (const auto& labels : label_sequences)
    for (const std::int64_t T : {4, 5}) {
      const Matrix<Rational> y = outputs(T, 3);
      for (const CtcSteps<Rational>& steps : {ctc_steps(y, labels, 0), ctc_steps_scaled(y, labels, 0)}) {
        EXPECT_EQ(steps.p, probability_by_enumeration<Rational>(y, labels, 0));
        EXPECT_EQ(steps.gradient, gradient_wrt_logits_by_enumeration<Rational>(y, labels, 0));
        EXPECT_EQ(steps.gradient_two_step, steps.gradient);
        EXPECT_EQ(steps.output_error, gradient_wrt_outputs_by_enumeration<Rational>(y, labels, 0));
      }
    }
}

TEST(Steps, InvariantsHoldAtEveryFrameAndBreakWhereAlphaIsWrong) {
  const Matrix<Rational> y = outputs(5, 3);
  const std::vector<std::int64_t> labels{1, 2};
  const auto steps = ctc_steps(y, labels, 0);
  for (std::int64_t t = 0; t < 5; ++t) {
    EXPECT_EQ(steps.invariant_including[static_cast<std::size_t>(t)], steps.p);
    EXPECT_EQ(steps.invariant_excluding[static_cast<std::size_t>(t)], steps.p);
  }
  Matrix<Rational> wrong = steps.alpha;
  wrong(2, 1) /= 2;
  const auto broken = ctc_steps_of(y, steps.states, wrong);
  EXPECT_NE(broken.invariant_excluding[2], steps.p);
  EXPECT_EQ(broken.invariant_excluding[3], steps.p);
}

TEST(Steps, ScaledIsTheScaledGradientOfThePaper) {
  const Matrix<Rational> y = outputs(5, 3);
  const std::vector<std::int64_t> labels{2, 1};
  const auto steps = ctc_steps_scaled(y, labels, 0);
  EXPECT_EQ(steps.gradient, gradient_wrt_logits_scaled(y, steps.states, steps.alpha, steps.beta_including));
  for (std::int64_t t = 0; t < 5; ++t) {
    Rational sum = 0;
    for (std::int64_t s = 0; s < 5; ++s) sum += steps.alpha(t, s);
    EXPECT_EQ(sum, 1);
  }
}

TEST(Steps, LogarithmsAreThoseOfTheProbabilities) {
  const PrecisionScope scope(40);
  Matrix<BigFloat> y(4, 3, BigFloat(0.25));
  for (std::int64_t t = 0; t < 4; ++t) y(t, t % 3) = BigFloat(0.5);
  const std::vector<std::int64_t> labels{1, 2};
  const auto plain = ctc_steps(y, labels, 0);
  const auto logs = ctc_steps(weights<LogNumber<BigFloat>>(y), labels, 0);
  const BigFloat most(1e-35);
  EXPECT_LE(abs(logs.p.log() - NumberTraits<BigFloat>::log(plain.p)), most);
  for (std::int64_t t = 0; t < 4; ++t)
    for (std::int64_t k = 0; k < 3; ++k) {
      EXPECT_LE(abs(logs.gradient(t, k) - plain.gradient(t, k)), most);
      EXPECT_LE(abs(logs.gradient_two_step(t, k) - plain.gradient(t, k)), most);
    }
}

TEST(Steps, OfWhatHasNoAlignmentThereIsNoGradient) {
  const auto steps = ctc_steps(outputs(2, 3), std::vector<std::int64_t>{1, 1}, 0);
  EXPECT_EQ(steps.p, 0);
  EXPECT_EQ(steps.gradient.rows(), 0);
  const auto nothing = ctc_steps_scaled(Matrix<Rational>(0, 3), std::vector<std::int64_t>{1}, 0);
  EXPECT_EQ(nothing.p, 0);
}

}  // namespace
}  // namespace assay::reference
