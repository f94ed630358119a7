// Batches: rows, reductions, upstream, layouts. The rows themselves are held against enumeration at high precision.
#include "reference/ctc/batch.h"

#include <gtest/gtest.h>

#include "reference/ctc/enumeration.h"
#include "reference/number/big_float.h"
#include "tests/reference/ctc/problems.h"

namespace assay::reference {
namespace {

using tests::Batch;
using tests::random_batch;

constexpr double kTiny = 1e-40;  // what 50 digits leave uncertain, with room

void expect_near(const BigFloat& got, const BigFloat& want) {
  const BigFloat error = abs(BigFloat(got - want));
  if (!(error <= BigFloat(kTiny))) ADD_FAILURE() << got << ", expected " << want;
}

void expect_equal(const std::vector<BigFloat>& got, const std::vector<BigFloat>& want) {
  ASSERT_EQ(got.size(), want.size());
  for (std::size_t i = 0; i < got.size(); ++i) EXPECT_EQ(got[i], want[i]) << "[" << i << "]";
}

TEST(CtcRow, IsEnumerationOfTheSoftmax) {
  for (const std::int64_t blank : {0, 2}) {
    const Batch batch = random_batch(5, 2, 3, 2, 2, blank);
    for (std::int64_t b = 0; b < 2; ++b) {
      const CtcRow<BigFloat> row = ctc_row<BigFloat>(batch.problem(), b);
      const std::span<const std::int64_t> labels = target_rows(batch.problem())[static_cast<std::size_t>(b)];
      Matrix<BigFloat> y(5, 3);
      for (std::int64_t t = 0; t < 5; ++t) {
        BigFloat sum(0);
        for (std::int64_t k = 0; k < 3; ++k)
          sum += y(t, k) = exp(BigFloat(batch.activations[static_cast<std::size_t>((t * 2 + b) * 3 + k)]));
        for (std::int64_t k = 0; k < 3; ++k) expect_near(row.y(t, k), y(t, k) /= sum);
      }
      ASSERT_TRUE(row.possible);
      const BigFloat p = probability_by_enumeration(y, labels, blank);
      expect_near(row.probability, p);
      expect_near(row.loss, -log(p));
      const Matrix<BigFloat> gradient = gradient_wrt_logits_by_enumeration(y, labels, blank);
      for (std::int64_t t = 0; t < 5; ++t)
        for (std::int64_t k = 0; k < 3; ++k) expect_near(row.y(t, k) - row.posterior(t, k), gradient(t, k));
    }
  }
}

TEST(CtcRow, TakesLogProbsAsTheyAre) {
  Batch batch = random_batch(4, 1, 3, 2, 3);  // not normalised: exp of them does not sum to 1
  batch.shape.input = CtcInput::log_probs;
  const CtcRow<BigFloat> row = ctc_row<BigFloat>(batch.problem(), 0);
  Matrix<BigFloat> y(4, 3);
  for (std::int64_t t = 0; t < 4; ++t)
    for (std::int64_t k = 0; k < 3; ++k) {
      y(t, k) = NumberTraits<BigFloat>::exp(BigFloat(batch.activations[static_cast<std::size_t>(t * 3 + k)]));
      EXPECT_EQ(row.y(t, k), y(t, k));
    }
  expect_near(row.probability / probability_by_enumeration<BigFloat>(y, batch.targets, 0), BigFloat(1));
}

TEST(CtcOutcome, HasTheGradientOfTheVariableAskedFor) {
  Batch batch = random_batch(6, 1, 4, 2);
  const CtcRow<BigFloat> row = ctc_row<BigFloat>(batch.problem(), 0);
  const CtcOutcome<BigFloat> logits = ctc_outcome<BigFloat>(batch.problem());
  batch.shape.variable = CtcVariable::log_probs;
  const CtcOutcome<BigFloat> log_probs = ctc_outcome<BigFloat>(batch.problem());
  for (std::int64_t t = 0; t < 6; ++t)
    for (std::int64_t k = 0; k < 4; ++k) {
      const auto i = static_cast<std::size_t>(t * 4 + k);
      EXPECT_EQ(logits.gradient[i], BigFloat(row.y(t, k) - row.posterior(t, k)));
      EXPECT_EQ(log_probs.gradient[i], -row.posterior(t, k));
    }
  EXPECT_EQ(logits.loss[0], row.loss);
  EXPECT_EQ(log_probs.loss[0], row.loss);
}

/// A batch of mixed lengths; row 1 has no alignment.
Batch mixed_batch() {
  Batch batch = random_batch(6, 4, 4, 3);
  batch.input_lengths = {6, 2, 4, 0};
  batch.target_lengths = {3, 3, 1, 0};
  batch.upstream = {2, -1, 0.5, 3};
  return batch;
}

TEST(CtcOutcome, MultipliesByTheUpstream) {
  Batch batch = mixed_batch();
  const CtcOutcome<BigFloat> with = ctc_outcome<BigFloat>(batch.problem());
  const std::vector<double> upstream = std::exchange(batch.upstream, {});
  const CtcOutcome<BigFloat> without = ctc_outcome<BigFloat>(batch.problem());
  expect_equal(with.loss, without.loss);
  for (std::size_t i = 0; i < with.gradient.size(); ++i)
    if (i / 4 % 4 != 1) expect_near(with.gradient[i], without.gradient[i] * BigFloat(upstream[i / 4 % 4]));
}

TEST(CtcOutcome, ReducesAsPyTorchDoes) {
  Batch batch = mixed_batch();
  batch.upstream.clear();
  batch.shape.zero_infinity = true;
  const CtcOutcome<BigFloat> rows = ctc_outcome<BigFloat>(batch.problem());
  batch.upstream = {3};
  batch.shape.reduction = Reduction::sum;
  const CtcOutcome<BigFloat> sum = ctc_outcome<BigFloat>(batch.problem());
  batch.shape.reduction = Reduction::mean;
  const CtcOutcome<BigFloat> mean = ctc_outcome<BigFloat>(batch.problem());
  ASSERT_EQ(sum.loss.size(), 1U);
  ASSERT_EQ(mean.loss.size(), 1U);
  expect_near(sum.loss[0], rows.loss[0] + rows.loss[1] + rows.loss[2] + rows.loss[3]);
  expect_near(mean.loss[0], (rows.loss[0] / 3 + rows.loss[1] / 3 + rows.loss[2] / 1 + rows.loss[3] / 1) / 4);
  const int divisor[] = {3, 3, 1, 1};
  for (std::size_t i = 0; i < rows.gradient.size(); ++i) {
    expect_near(sum.gradient[i], 3 * rows.gradient[i]);
    expect_near(mean.gradient[i], 3 * rows.gradient[i] / divisor[i / 4 % 4] / 4);
  }
}

TEST(CtcOutcome, IsZeroPastTheInputLength) {
  const Batch batch = mixed_batch();
  const CtcOutcome<BigFloat> outcome = ctc_outcome<BigFloat>(batch.problem());
  for (std::size_t i = 0; i < outcome.gradient.size(); ++i) {
    const std::size_t t = i / 16, b = i / 4 % 4;
    if (static_cast<std::int64_t>(t) >= batch.input_lengths[b]) {
      EXPECT_EQ(outcome.gradient[i], 0) << i;
    }
  }
}

TEST(CtcOutcome, DoesNotReadPastTheInputLength) {
  Batch batch = mixed_batch();
  batch.shape.zero_infinity = true;
  const CtcOutcome<BigFloat> before = ctc_outcome<BigFloat>(batch.problem());
  for (std::size_t i = 0; i < batch.activations.size(); ++i)
    if (static_cast<std::int64_t>(i / 16) >= batch.input_lengths[i / 4 % 4])
      batch.activations[i] = std::numeric_limits<double>::quiet_NaN();
  const CtcOutcome<BigFloat> after = ctc_outcome<BigFloat>(batch.problem());
  expect_equal(after.loss, before.loss);
  expect_equal(after.gradient, before.gradient);
}

TEST(CtcOutcome, IsTheSameForConcatenatedTargets) {
  Batch batch = mixed_batch();
  batch.shape.zero_infinity = true;
  const CtcOutcome<BigFloat> padded = ctc_outcome<BigFloat>(batch.problem());
  std::vector<std::int64_t> concatenated;
  for (std::size_t b = 0; b < 4; ++b)
    for (std::size_t s = 0; s < static_cast<std::size_t>(batch.target_lengths[b]); ++s)
      concatenated.push_back(batch.targets[b * 3 + s]);
  batch.targets = concatenated;
  batch.shape.layout = CtcTargets::concatenated;
  const CtcOutcome<BigFloat> outcome = ctc_outcome<BigFloat>(batch.problem());
  expect_equal(outcome.loss, padded.loss);
  expect_equal(outcome.gradient, padded.gradient);
}

TEST(CtcOutcome, IsItsRowsCombined) {
  Batch batch = mixed_batch();
  batch.shape.zero_infinity = true;
  std::vector<CtcRow<BigFloat>> rows;
  for (std::int64_t b = 0; b < 4; ++b) rows.push_back(ctc_row<BigFloat>(batch.problem(), b));
  const auto combined = combine<BigFloat>(batch.problem(), std::span<const CtcRow<BigFloat>>(rows));
  const CtcOutcome<BigFloat> outcome = ctc_outcome<BigFloat>(batch.problem());
  expect_equal(combined.loss, outcome.loss);
  expect_equal(combined.gradient, outcome.gradient);
  rows.pop_back();
  EXPECT_THROW(combine<BigFloat>(batch.problem(), std::span<const CtcRow<BigFloat>>(rows)), std::invalid_argument);
}

TEST(CtcOutcome, RefusesIllPosedProblems) {
  Batch batch = random_batch(3, 1, 3, 1);
  EXPECT_THROW(ctc_row<BigFloat>(batch.problem(), 1), std::invalid_argument);
  EXPECT_THROW(ctc_row<BigFloat>(batch.problem(), -1), std::invalid_argument);
  batch.activations[4] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(ctc_row<BigFloat>(batch.problem(), 0), std::invalid_argument);
  EXPECT_THROW(ctc_outcome<BigFloat>(batch.problem()), std::invalid_argument);
  batch = random_batch(3, 1, 3, 1);
  batch.targets[0] = 0;
  EXPECT_THROW(ctc_row<BigFloat>(batch.problem(), 0), std::invalid_argument);
  EXPECT_THROW(ctc_outcome<BigFloat>(batch.problem()), std::invalid_argument);
}

}  // namespace
}  // namespace assay::reference
