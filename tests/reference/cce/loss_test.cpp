// The loss of one token: values worked by hand, the definition of problem.h under every option, and its digits where
// the loss is next to 0 or the logits are huge.
#include "reference/cce/loss.h"

#include <cmath>
#include <limits>
#include <vector>

#include "reference/cce/outcome.h"
#include "reference/number/big_float.h"
#include "tests/reference/cce/tokens.h"
#include "tests/reference/expect.h"

namespace assay::reference {
namespace {

using tests::Tokens;
using BigTraits = NumberTraits<BigFloat>;

using tests::infinity;

void expect_close(const BigFloat& got, const BigFloat& want, double bound = 1e-48) {
  tests::expect_relatively_near(got, want, bound);
}

/// One token whose logits are `bias`.
Tokens token(const std::vector<double>& bias, std::int64_t target) {
  Tokens tokens;
  tokens.shape.N = 1, tokens.shape.V = static_cast<std::int64_t>(bias.size());
  tokens.hidden = {0};
  tokens.weight.assign(bias.size(), 1.0);
  tokens.bias = bias;
  tokens.targets = {target};
  return tokens;
}

BigFloat loss_of(const Tokens& tokens) {
  return cce_outcome<BigFloat>(tokens.problem()).loss[0];
}

TEST(CceLoss, ByHand) {
  const BigFloat ln2 = BigTraits::log(BigFloat(2)), e = BigTraits::exp(BigFloat(1));
  expect_close(loss_of(token({0, 0}, 1)), ln2);
  expect_close(loss_of(token({1, 0}, 1)), BigTraits::log(BigFloat(1) + e));
  expect_close(loss_of(token({1, 0}, 0)), BigTraits::log(BigFloat(1) + BigFloat(1) / e));
  EXPECT_EQ(loss_of(token({-7}, 0)), BigFloat(0));  // the only entry there is
  Tokens squared = token({3, 3, 3, 3}, 2);          // lse = 3 + 2 ln 2
  squared.shape.z_loss = 0.5;
  const BigFloat lse = BigFloat(3) + ln2 + ln2;
  expect_close(loss_of(squared), ln2 + ln2 + BigFloat(0.5) * lse * lse);
  Tokens smoothed = token({1, 0}, 0);  // lse - 3/4 x_0 - 1/8 (x_0 + x_1) = lse - 7/8
  smoothed.shape.label_smoothing = 0.25;
  expect_close(loss_of(smoothed), BigTraits::log(BigFloat(1) + e) - BigFloat(0.875));
  Tokens capped = token({infinity, 0}, 0);  // x = 2 tanh(1/2), 0
  capped.bias[0] = 1, capped.shape.logit_softcap = 2;
  const BigFloat x = BigFloat(2) * (e - BigFloat(1)) / (e + BigFloat(1));
  expect_close(loss_of(capped), BigTraits::log1p(BigTraits::exp(-x)));
}

TEST(CceTerms, AreThoseOfTheSmoothedTarget) {
  CceProblem<double> problem;
  problem.V = 5, problem.label_smoothing = 0.25, problem.z_loss = 0.5, problem.logit_softcap = 30;
  const auto terms = terms_of<double>(problem);
  EXPECT_EQ(terms.cap, 30);
  EXPECT_EQ(terms.on_target, 0.75);
  EXPECT_EQ(terms.on_each, 0.05);
  EXPECT_EQ(terms.on_rest, 0.2);
  EXPECT_EQ(terms.on_square, 0.5);
  problem.logit_softcap = infinity;
  EXPECT_EQ(terms_of<double>(problem).cap, 0);
}

TEST(CceLoss, IsTheDefinitionUnderEveryOption) {
  for (const double cap : {0.0, 1.5})
    for (const double eps : {0.0, 0.1, 1.0})
      for (const double zeta : {0.0, 1e-3}) {
        Tokens tokens = tests::random_biased_tokens(4, 3, 5, 2);
        tokens.shape.logit_softcap = cap, tokens.shape.label_smoothing = eps, tokens.shape.z_loss = zeta;
        const std::vector<BigFloat> loss = cce_outcome<BigFloat>(tokens.problem()).loss;
        for (std::int64_t n = 0; n < 4; ++n)
          expect_close(loss[static_cast<std::size_t>(n)], defined_loss(tokens, tests::variables(tokens), n), 1e-45);
      }
}

TEST(CceLoss, IsInfiniteForAnEntryOutsideTheVocabulary) {
  EXPECT_EQ(loss_of(token({0, -infinity}, 1)), BigTraits::infinity());
  EXPECT_EQ(loss_of(token({0, -infinity}, 0)), BigFloat(0));
  for (const double eps : {0.1, 1.0})
    for (const std::int64_t target : {0, 1}) {
      Tokens tokens = token({0, -infinity}, target);
      tokens.shape.label_smoothing = eps;
      tokens.shape.z_loss = 0.5;
      EXPECT_EQ(loss_of(tokens), BigTraits::infinity());
      tokens.shape.logit_softcap = 4;  // under the cap the entry has the logit -4, and counts like others
      expect_close(loss_of(tokens), defined_loss(tokens, tests::variables(tokens), 0));
    }
}

TEST(CceLoss, OfAConfidentTokenHasAllItsDigits) {
  const Tokens tokens = token({0, 700, 3}, 1);
  const BigFloat others = BigTraits::exp(BigFloat(-700)) + BigTraits::exp(BigFloat(-697));
  const CceRow<BigFloat> row = cce_row<BigFloat>(tokens.problem(), 0);
  expect_close(row.loss, others);  // ln(1 + s) = s (1 - s / 2 + ...), s of 1e-303
  expect_close(row.rest, others);
  const std::vector<BigFloat> dbias = cce_outcome<BigFloat>(tokens.problem()).dbias;
  expect_close(dbias[1], -others);
  expect_close(dbias[0], BigTraits::exp(BigFloat(-700)));
  const double loss = cce_outcome<double>(token({0, 70, 3}, 1).problem()).loss[0];
  expect_close(BigFloat(loss), BigTraits::exp(BigFloat(-70)) + BigTraits::exp(BigFloat(-67)), 1e-15);
}

/// Logits of some 1e11 that differ by 50: the reference computes with as many more digits as these cancel.
TEST(CceLoss, OfHugeLogitsHasAllItsDigits) {
  Tokens tokens = token({1e12 / 7, 1e12 / 7 + 50}, 1);
  tokens.hidden = {1e6 / 3};
  tokens.weight = {1e6 / 9, 1e6 / 9};
  BigFloat gap = BigFloat(tokens.bias[1]) - BigFloat(tokens.bias[0]);
  expect_close(loss_of(tokens), BigTraits::log1p(BigTraits::exp(-gap)));
}

/// Under a cap logits are never exact. The digits in force must hold against 30 more.
TEST(CceLoss, OfHugeCappedLogitsHasAllItsDigits) {
  Tokens tokens = token({1e6, 1e6 + 50, 1e6 - 3}, 1);
  tokens.shape.logit_softcap = 1e8;
  const BigFloat loss = loss_of(tokens);
  const PrecisionScope scope(80);
  expect_close(loss, loss_of(tokens));
}

}  // namespace
}  // namespace assay::reference
