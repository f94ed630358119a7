// What each option of a problem means, by the outcome.
#include "reference/ctc/problem.h"

#include "reference/ctc/batch.h"
#include "reference/ctc/enumeration.h"
#include "reference/number/big_float.h"
#include "tests/reference/ctc/problems.h"
#include "tests/reference/expect.h"

namespace assay::reference {
namespace {

using tests::Batch;
using tests::expect_near;

using tests::tiny;

TEST(CtcRow, TakesLogProbsAsTheyAre) {
  Batch batch = tests::random_batch(4, 1, 3, 2, 3);  // not normalised: exp of them does not sum to 1
  batch.shape.input = CtcInput::log_probs;
  const CtcRow<BigFloat> row = ctc_row<BigFloat>(batch.problem(), 0);
  Matrix<BigFloat> y(4, 3);
  for (std::int64_t t = 0; t < 4; ++t)
    for (std::int64_t k = 0; k < 3; ++k) {
      y(t, k) = NumberTraits<BigFloat>::exp(BigFloat(batch.activations[static_cast<std::size_t>(t * 3 + k)]));
      EXPECT_EQ(row.y(t, k), y(t, k));
    }
  expect_near(row.probability / probability_by_enumeration<BigFloat>(y, batch.targets, 0), BigFloat(1), tiny);
}

TEST(CtcOutcome, HasTheGradientOfTheVariableAskedFor) {
  Batch batch = tests::random_batch(6, 1, 4, 2);
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

TEST(CtcOutcome, IsTheSameForConcatenatedTargets) {
  Batch batch = tests::mixed_batch();
  batch.shape.zero_infinity = true;
  const CtcOutcome<BigFloat> padded = ctc_outcome<BigFloat>(batch.problem());
  std::vector<std::int64_t> concatenated;
  for (std::size_t b = 0; b < 4; ++b)
    for (std::size_t s = 0; s < static_cast<std::size_t>(batch.target_lengths[b]); ++s)
      concatenated.push_back(batch.targets[b * 3 + s]);
  batch.targets = concatenated;
  batch.shape.layout = CtcTargets::concatenated;
  const CtcOutcome<BigFloat> outcome = ctc_outcome<BigFloat>(batch.problem());
  EXPECT_EQ(outcome.loss, padded.loss);
  EXPECT_EQ(outcome.gradient, padded.gradient);
}

}  // namespace
}  // namespace assay::reference
