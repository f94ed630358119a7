// Tokens that are ignored are not read, and an infinite cap is none.
#include "reference/cce/problem.h"

#include <limits>

#include "tests/reference/cce/tokens.h"
#include "tests/reference/expect.h"

namespace assay::reference {
namespace {

using tests::gradients;
using tests::Tokens;

TEST(CceProblem, NeverReadsTokensThatAreIgnored) {
  Tokens tokens = tests::random_biased_tokens(3, 2, 4);
  tokens.targets[1] = 7;
  tokens.shape.ignore_index = 7;
  tokens.shape.reduction = Reduction::mean;
  EXPECT_TRUE(tokens.problem().is_ignored(1) && !tokens.problem().is_ignored(0));
  const CceOutcome<BigFloat> finite = cce_outcome<BigFloat>(tokens.problem());
  tokens.hidden[2] = tokens.hidden[3] = std::numeric_limits<double>::quiet_NaN();
  const CceOutcome<BigFloat> with_nan = cce_outcome<BigFloat>(tokens.problem());
  EXPECT_EQ(with_nan.loss, finite.loss);
  EXPECT_EQ(gradients(with_nan), gradients(finite));
  EXPECT_EQ(with_nan.dhidden[2], BigFloat(0));
  EXPECT_EQ(with_nan.dhidden[3], BigFloat(0));
}

TEST(CceProblem, WithoutCapIsThatOfAnInfiniteOne) {
  Tokens tokens = tests::random_biased_tokens(3, 2, 4);
  const CceOutcome<BigFloat> without = cce_outcome<BigFloat>(tokens.problem());
  tokens.shape.logit_softcap = std::numeric_limits<double>::infinity();
  EXPECT_EQ(cce_outcome<BigFloat>(tokens.problem()).dweight, without.dweight);
  tokens.shape.logit_softcap = 1e25;  // x = z (1 - (z / cap)^2 / 3 + ...)
  const CceOutcome<BigFloat> capped = cce_outcome<BigFloat>(tokens.problem());
  tests::expect_near(capped.loss, without.loss, 1e-46);
  tests::expect_near(gradients(capped), gradients(without), 1e-46);
}

}  // namespace
}  // namespace assay::reference
