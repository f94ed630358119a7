// Batches: rows, against enumeration at 50 digits; upstream, input lengths, refusals.
#include "reference/ctc/batch.h"

#include "reference/ctc/enumeration.h"
#include "reference/number/big_float.h"
#include "tests/reference/ctc/problems.h"
#include "tests/reference/expect.h"

namespace assay::reference {
namespace {

using tests::Batch;
using tests::expect_near;
using tests::mixed_batch;
using tests::random_batch;

using tests::tiny;

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
        for (std::int64_t k = 0; k < 3; ++k) expect_near(row.y(t, k), y(t, k) /= sum, tiny);
      }
      ASSERT_TRUE(row.possible);
      const BigFloat p = probability_by_enumeration(y, labels, blank);
      expect_near(row.probability, p, tiny);
      expect_near(row.loss, -log(p), tiny);
      const Matrix<BigFloat> gradient = gradient_wrt_logits_by_enumeration(y, labels, blank);
      for (std::int64_t t = 0; t < 5; ++t)
        for (std::int64_t k = 0; k < 3; ++k) expect_near(row.y(t, k) - row.posterior(t, k), gradient(t, k), tiny);
    }
  }
}

TEST(CtcOutcome, MultipliesByTheUpstream) {
  Batch batch = mixed_batch();
  const CtcOutcome<BigFloat> with = ctc_outcome<BigFloat>(batch.problem());
  const std::vector<double> upstream = std::exchange(batch.upstream, {});
  const CtcOutcome<BigFloat> without = ctc_outcome<BigFloat>(batch.problem());
  EXPECT_EQ(with.loss, without.loss);
  for (std::size_t i = 0; i < with.gradient.size(); ++i)
    if (i / 4 % 4 != 1) expect_near(with.gradient[i], without.gradient[i] * BigFloat(upstream[i / 4 % 4]), tiny);
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
  EXPECT_EQ(after.loss, before.loss);
  EXPECT_EQ(after.gradient, before.gradient);
}

TEST(CtcOutcome, IsItsRowsCombined) {
  Batch batch = mixed_batch();
  batch.shape.zero_infinity = true;
  std::vector<CtcRow<BigFloat>> rows;
  for (std::int64_t b = 0; b < 4; ++b) rows.push_back(ctc_row<BigFloat>(batch.problem(), b));
  const auto combined = combine<BigFloat>(batch.problem(), std::span<const CtcRow<BigFloat>>(rows));
  const CtcOutcome<BigFloat> outcome = ctc_outcome<BigFloat>(batch.problem());
  EXPECT_EQ(combined.loss, outcome.loss);
  EXPECT_EQ(combined.gradient, outcome.gradient);
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
