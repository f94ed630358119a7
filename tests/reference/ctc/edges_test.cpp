// Edge cases as theorems: what the definition of CTC says where implementations disagree.
#include <gtest/gtest.h>

#include <limits>

#include "reference/ctc/batch.h"
#include "reference/number/big_float.h"
#include "tests/reference/ctc/problems.h"
#include "tests/reference/expect.h"

namespace assay::reference {
namespace {

using tests::Batch;
using tests::random_batch;
using BigTraits = NumberTraits<BigFloat>;

using tests::infinity;

bool is_infinite(const BigFloat& x) {
  return !BigTraits::is_finite(x) && !BigTraits::is_nan(x) && x > 0;
}

TEST(EmptyTarget, HasOneAlignmentAllBlank) {  // loss = -sum_t ln y_t(blank)
  const Batch batch = random_batch(5, 1, 3, 0, 1, 2);
  const CtcRow<BigFloat> row = ctc_row<BigFloat>(batch.problem(), 0);
  BigFloat expected(0);
  for (std::int64_t t = 0; t < 5; ++t) {
    expected -= log(row.y(t, 2));
    for (std::int64_t k = 0; k < 3; ++k)
      EXPECT_LT(abs(BigFloat(row.posterior(t, k) - (k == 2 ? 1 : 0))), BigFloat(1e-45));
  }
  EXPECT_LT(abs(BigFloat(row.loss - expected)), BigFloat(1e-45));
}

TEST(NoFrames, SpellTheEmptyTargetWithCertainty) {
  Batch batch = random_batch(2, 1, 3, 1);
  batch.input_lengths = {0};
  batch.target_lengths = {0};
  const CtcOutcome<BigFloat> outcome = ctc_outcome<BigFloat>(batch.problem());
  EXPECT_EQ(outcome.loss[0], 0);
  for (const BigFloat& g : outcome.gradient) EXPECT_EQ(g, 0);
}

TEST(NoFrames, SpellNothingElse) {
  Batch batch = random_batch(2, 1, 3, 1);
  batch.input_lengths = {0};
  const CtcOutcome<BigFloat> outcome = ctc_outcome<BigFloat>(batch.problem());
  EXPECT_TRUE(is_infinite(outcome.loss[0]));
  for (const BigFloat& g : outcome.gradient) EXPECT_EQ(g, 0);
}

/// Loss +inf and gradient NaN within the input length, 0 past it; with zero_infinity 0 everywhere.
void expect_impossible(Batch batch) {
  const std::int64_t T = batch.input_lengths[0];
  batch.shape.zero_infinity = false;
  const CtcRow<BigFloat> row = ctc_row<BigFloat>(batch.problem(), 0);
  EXPECT_FALSE(row.possible);
  EXPECT_EQ(row.probability, 0);
  EXPECT_TRUE(is_infinite(row.loss));
  EXPECT_EQ(row.posterior.rows(), 0);
  EXPECT_EQ(row.y.rows(), T);
  const CtcOutcome<BigFloat> outcome = ctc_outcome<BigFloat>(batch.problem());
  EXPECT_TRUE(is_infinite(outcome.loss[0]));
  for (std::size_t i = 0; i < outcome.gradient.size(); ++i) {
    if (static_cast<std::int64_t>(i) < T * batch.shape.C) {
      EXPECT_TRUE(BigTraits::is_nan(outcome.gradient[i])) << i;
    } else {
      EXPECT_EQ(outcome.gradient[i], 0) << i;
    }
  }
  batch.shape.zero_infinity = true;
  const CtcOutcome<BigFloat> zeroed = ctc_outcome<BigFloat>(batch.problem());
  EXPECT_EQ(zeroed.loss[0], 0);
  for (const BigFloat& g : zeroed.gradient) EXPECT_EQ(g, 0);
}

TEST(TooFewFrames, HaveNoAlignment) {
  Batch batch = random_batch(3, 1, 3, 3);
  batch.targets = {1, 2, 1};
  EXPECT_TRUE(ctc_row<BigFloat>(batch.problem(), 0).possible);
  batch.input_lengths = {2};
  expect_impossible(batch);
}

TEST(RepeatedLabels, NeedABlankBetween) {
  Batch batch = random_batch(3, 1, 3, 2);
  batch.targets = {1, 1};
  EXPECT_TRUE(ctc_row<BigFloat>(batch.problem(), 0).possible);
  batch.input_lengths = {2};
  expect_impossible(batch);
}

TEST(MinusInfinityLogits, AreProbabilitiesOfZero) {
  Batch batch = random_batch(3, 1, 3, 1);
  batch.targets = {1};
  batch.activations[0] = -infinity;  // no blank at t = 0
  const CtcRow<BigFloat> row = ctc_row<BigFloat>(batch.problem(), 0);
  EXPECT_TRUE(row.possible);
  EXPECT_EQ(row.y(0, 0), 0);
  EXPECT_EQ(row.posterior(0, 0), 0);
  EXPECT_LT(abs(BigFloat(row.posterior(0, 1) - 1)), BigFloat(1e-45));
  const CtcOutcome<BigFloat> outcome = ctc_outcome<BigFloat>(batch.problem());
  EXPECT_EQ(outcome.gradient[0], 0);
  for (const BigFloat& g : outcome.gradient) EXPECT_TRUE(BigTraits::is_finite(g));
}

TEST(MinusInfinityLogits, MayLeaveNoAlignment) {
  for (const CtcInput input : {CtcInput::logits, CtcInput::log_probs}) {
    Batch batch = random_batch(4, 1, 3, 1);
    batch.shape.input = input;
    batch.targets = {1};
    batch.input_lengths = {3};
    for (const std::size_t t : {0U, 1U, 2U}) batch.activations[t * 3 + 1] = -infinity;  // the label never
    expect_impossible(batch);
  }
}

TEST(ImpossibleRows, LeaveTheOthersAlone) {
  Batch batch = random_batch(3, 2, 3, 2);
  batch.targets = {1, 1, 1, 2};
  batch.input_lengths = {2, 3};
  const CtcOutcome<BigFloat> outcome = ctc_outcome<BigFloat>(batch.problem());
  const CtcRow<BigFloat> row = ctc_row<BigFloat>(batch.problem(), 1);
  EXPECT_TRUE(is_infinite(outcome.loss[0]));
  EXPECT_EQ(outcome.loss[1], row.loss);
  for (std::int64_t t = 0; t < 3; ++t)
    for (std::int64_t k = 0; k < 3; ++k)
      EXPECT_EQ(outcome.gradient[static_cast<std::size_t>((t * 2 + 1) * 3 + k)],
                BigFloat(row.y(t, k) - row.posterior(t, k)));
  batch.shape.reduction = Reduction::sum;
  EXPECT_TRUE(is_infinite(ctc_outcome<BigFloat>(batch.problem()).loss[0]));
}

/// Logits so far apart that exp underflows whatever the exponent range: the row is possible, and its loss finite.
TEST(HugeLogits, StillHaveAFiniteLoss) {
  for (const double scale : {1e6, 1e30, 1e307}) {
    if (scale > 1e100 && max_digits < 400) continue;  // the loss itself has 308 digits before the point
    Batch batch = random_batch(2, 1, 2, 1);
    batch.activations = {scale, -scale, scale, -scale};  // blank certain, the label all but impossible
    batch.targets = {1};
    const CtcRow<BigFloat> row = ctc_row<BigFloat>(batch.problem(), 0);
    ASSERT_TRUE(row.possible);
    // Two of the three alignments have the label in one frame, at the price of 2 scale, and share the posterior.
    const BigFloat price = BigFloat(2) * BigFloat(scale);
    EXPECT_LT(abs(BigFloat(row.loss / price - 1)), BigFloat(1e-6));
    EXPECT_LT(abs(BigFloat(row.posterior(0, 1) - 0.5)), BigFloat(1e-40)) << scale;
    const CtcRow<double> in_double = ctc_row<double>(batch.problem(), 0);
    EXPECT_TRUE(in_double.possible);
    EXPECT_NEAR(in_double.loss / scale, 2, 1e-6);
  }
}

TEST(ImpossibleInDouble, IsDecidedExactly) {
  Batch batch = random_batch(400, 1, 3, 200, 400);  // p far below the range of double
  const CtcRow<double> row = ctc_row<double>(batch.problem(), 0);
  const CtcRow<BigFloat> exact = ctc_row<BigFloat>(batch.problem(), 0);
  EXPECT_EQ(row.possible, exact.possible);
  EXPECT_EQ(row.probability, 0);
  EXPECT_NEAR(row.loss, static_cast<double>(exact.loss), 1e-12 * row.loss);
  for (std::int64_t t = 0; t < 400; ++t)
    for (std::int64_t k = 0; k < 3; ++k)
      EXPECT_NEAR(row.posterior(t, k), static_cast<double>(exact.posterior(t, k)), 1e-9);
}

}  // namespace
}  // namespace assay::reference
