// Gradients against finite differences of the loss as problem.h defines it, at 100 digits, under every combination of
// options: step 1e-40, central, so that what is neglected is of the order of 1e-80.
#include "reference/cce/gradient.h"

#include <gtest/gtest.h>

#include <sstream>

#include "reference/cce/outcome.h"
#include "reference/number/big_float.h"
#include "tests/reference/cce/tokens.h"
#include "tests/reference/expect.h"

namespace assay::reference {
namespace {

using tests::Tokens;

using tests::infinity;

void expect_finite_differences(const Tokens& tokens) {
  const PrecisionScope scope(100);
  const BigFloat step("1e-40"), bound("1e-38");
  std::vector<BigFloat> theta = tests::variables(tokens);
  const std::vector<BigFloat> gradient = tests::gradients(cce_outcome<BigFloat>(tokens.problem()));
  ASSERT_EQ(gradient.size(), theta.size());
  for (std::size_t i = 0; i < theta.size(); ++i) {
    const BigFloat at = theta[i];
    if (!NumberTraits<BigFloat>::is_finite(at)) continue;
    theta[i] = at + step;
    const BigFloat above = defined_objective(tokens, theta);
    theta[i] = at - step;
    const BigFloat below = defined_objective(tokens, theta);
    theta[i] = at;
    const BigFloat error = abs(BigFloat((above - below) / (step + step) - gradient[i]));
    if (!(error <= bound)) ADD_FAILURE() << "variable " << i << ": " << gradient[i] << " is off by " << error;
  }
}

/// Calls `test` with every combination of options of a small problem.
template <class Test>
void for_each_option(Test test) {
  for (const double cap : {0.0, 2.5, infinity})
    for (const double eps : {0.0, 0.1, 1.0})
      for (const double zeta : {0.0, 0.25})
        for (const bool biased : {false, true})
          for (const bool ignored : {false, true})
            for (const Reduction reduction : {Reduction::none, Reduction::sum, Reduction::mean}) {
              Tokens tokens = biased ? tests::random_biased_tokens(3, 2, 4) : tests::random_tokens(3, 2, 4);
              tokens.shape.logit_softcap = cap, tokens.shape.label_smoothing = eps, tokens.shape.z_loss = zeta;
              tokens.shape.reduction = reduction;
              tokens.upstream = reduction == Reduction::none ? std::vector{1.5F, -0.25F, 3.0F} : std::vector{-2.5F};
              if (ignored) tokens.targets[1] = tokens.shape.ignore_index;
              std::ostringstream trace;
              trace << "cap " << cap << ", eps " << eps << ", zeta " << zeta << ", bias " << biased << ", ignored "
                    << ignored << ", reduction " << static_cast<int>(reduction);
              SCOPED_TRACE(trace.str());
              test(static_cast<const Tokens&>(tokens));
            }
}

TEST(CceGradient, IsThatOfFiniteDifferencesUnderEveryCombinationOfOptions) {
  for_each_option(expect_finite_differences);
}

TEST(CceGradient, IsThatOfFiniteDifferencesBesideEntriesOfBiasMinusInfinity) {
  for (const double cap : {0.0, 2.5})
    for (const double zeta : {0.0, 0.25}) {
      Tokens tokens = tests::random_biased_tokens(2, 2, 4);
      tokens.targets = {0, 3};
      tokens.bias[1] = -infinity;
      tokens.shape.logit_softcap = cap, tokens.shape.z_loss = zeta;
      expect_finite_differences(tokens);
      if (cap == 0) continue;
      tokens.targets = {1, 1};  // under a cap it is an entry like others, with the smallest logit possible
      expect_finite_differences(tokens);
    }
}

TEST(CceGradient, OfAUniformSoftmaxByHand) {
  Tokens tokens = tests::random_biased_tokens(1, 1, 4);
  tokens.hidden = {0};
  tokens.bias = {0, 0, 0, 0};
  tokens.targets = {2};
  tokens.shape.z_loss = 0.5, tokens.shape.label_smoothing = 0.5;
  const CceOutcome<BigFloat> outcome = cce_outcome<BigFloat>(tokens.problem());
  const BigFloat ln4 = NumberTraits<BigFloat>::log(BigFloat(4));
  for (std::size_t v = 0; v < 4; ++v) {  // p (1 + 2 zeta lse) - (1 - eps) [v = t] - eps / V
    BigFloat expected = BigFloat(0.25) * (BigFloat(1) + ln4) - BigFloat(0.125);
    if (v == 2) expected -= BigFloat(0.5);
    const BigFloat error = abs(BigFloat(outcome.dbias[v] - expected));
    EXPECT_TRUE(error <= BigFloat(1e-48)) << v << ": " << outcome.dbias[v];
    EXPECT_EQ(outcome.dweight[v], BigFloat(0));  // hidden is 0
  }
}

TEST(CceGradient, OfALossThatIsInfiniteIsFinite) {
  Tokens tokens = tests::random_biased_tokens(1, 1, 3);
  tokens.hidden = {0};
  tokens.bias = {0, -infinity, 0};
  tokens.targets = {1};
  const CceOutcome<BigFloat> hard = cce_outcome<BigFloat>(tokens.problem());
  EXPECT_EQ(hard.loss[0], NumberTraits<BigFloat>::infinity());
  EXPECT_EQ(hard.dbias, (std::vector<BigFloat>{0.5, -1, 0.5}));
  tokens.targets = {0};
  tokens.shape.label_smoothing = 0.75;
  const CceOutcome<BigFloat> smooth = cce_outcome<BigFloat>(tokens.problem());
  EXPECT_EQ(smooth.loss[0], NumberTraits<BigFloat>::infinity());
  EXPECT_EQ(smooth.dbias, (std::vector<BigFloat>{0.0, -0.25, 0.25}));
  tokens.shape.label_smoothing = 0;
  EXPECT_EQ(cce_outcome<double>(tokens.problem()).dbias, (std::vector<double>{-0.5, 0, 0.5}));
}

}  // namespace
}  // namespace assay::reference
