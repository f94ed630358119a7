// Losses and gradients of both operations under each reduction.
#include "reference/reduction.h"

#include "reference/ctc/batch.h"
#include "reference/number/big_float.h"
#include "tests/reference/cce/tokens.h"
#include "tests/reference/ctc/problems.h"
#include "tests/reference/expect.h"

namespace assay::reference {
namespace {

using tests::expect_near;
using tests::gradients;

using tests::tiny;

TEST(Reduction, OfCtcIsThatOfPyTorch) {
  tests::Batch batch = tests::mixed_batch();
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
  expect_near(sum.loss[0], rows.loss[0] + rows.loss[1] + rows.loss[2] + rows.loss[3], tiny);
  expect_near(mean.loss[0], (rows.loss[0] / 3 + rows.loss[1] / 3 + rows.loss[2] / 1 + rows.loss[3] / 1) / 4, tiny);
  const int divisor[] = {3, 3, 1, 1};
  for (std::size_t i = 0; i < rows.gradient.size(); ++i) {
    expect_near(sum.gradient[i], 3 * rows.gradient[i], tiny);
    expect_near(mean.gradient[i], 3 * rows.gradient[i] / divisor[i / 4 % 4] / 4, tiny);
  }
}

TEST(Reduction, OfCrossEntropyCountsTheTokensThatAreNotIgnored) {
  tests::Tokens tokens = tests::random_biased_tokens(4, 3, 5);
  tokens.targets[2] = -100;
  const CceOutcome<BigFloat> rows = cce_outcome<BigFloat>(tokens.problem());
  EXPECT_EQ(rows.loss[2], BigFloat(0));
  const BigFloat total = rows.loss[0] + rows.loss[1] + rows.loss[3];
  const auto expect = [&](const BigFloat& loss, const BigFloat& factor) {  // `factor` multiplies the gradients
    const CceOutcome<BigFloat> got = cce_outcome<BigFloat>(tokens.problem());
    expect_near(got.loss, {loss}, tiny);
    std::vector<BigFloat> want = gradients(rows);
    for (BigFloat& element : want) element *= factor;
    expect_near(gradients(got), want, tiny);
  };
  tokens.shape.reduction = Reduction::sum;
  expect(total, 1);
  tokens.shape.reduction = Reduction::mean;
  expect(total / 3, BigFloat(1) / 3);
  tokens.upstream = {-2.5F};
  expect(total / 3, BigFloat(-2.5) / 3);
}

}  // namespace
}  // namespace assay::reference
