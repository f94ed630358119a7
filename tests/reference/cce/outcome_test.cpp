// Batches of tokens: reductions, upstream, ignored tokens, what does not change the result, and enclosures.
#include "reference/cce/outcome.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "reference/number/ball.h"
#include "reference/number/big_float.h"
#include "tests/reference/cce/tokens.h"

namespace assay::reference {
namespace {

using tests::Tokens;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

/// |got - want| <= 1e-46, which fails on NaN.
void expect_near(const BigFloat& got, const BigFloat& want) {
  const BigFloat error = abs(BigFloat(got - want));
  if (!(error <= BigFloat(1e-46))) ADD_FAILURE() << got << ", expected " << want;
}

void expect_near(const std::vector<BigFloat>& got, const std::vector<BigFloat>& want) {
  ASSERT_EQ(got.size(), want.size());
  for (std::size_t i = 0; i < got.size(); ++i) expect_near(got[i], want[i]);
}

void expect_near(const CceOutcome<BigFloat>& got, const CceOutcome<BigFloat>& want) {
  expect_near(got.loss, want.loss);
  expect_near(got.dhidden, want.dhidden);
  expect_near(got.dweight, want.dweight);
  expect_near(got.dbias, want.dbias);
}

CceOutcome<BigFloat> outcome_of(const Tokens& tokens) {
  return cce_outcome<BigFloat>(tokens.problem());
}

void scale(std::vector<BigFloat>& array, const BigFloat& factor) {
  for (BigFloat& element : array) element *= factor;
}

CceOutcome<BigFloat> with_gradients_scaled(CceOutcome<BigFloat> outcome, const BigFloat& factor) {
  scale(outcome.dhidden, factor), scale(outcome.dweight, factor), scale(outcome.dbias, factor);
  return outcome;
}

TEST(CceOutcome, HasTheShapesStated) {
  Tokens tokens = tests::random_tokens(3, 2, 5);
  const CceOutcome<BigFloat> each = outcome_of(tokens);
  EXPECT_EQ(each.loss.size(), 3U);
  EXPECT_EQ(each.dhidden.size(), 6U);
  EXPECT_EQ(each.dweight.size(), 10U);
  EXPECT_TRUE(each.dbias.empty());
  tokens.shape.reduction = Reduction::mean;
  EXPECT_EQ(outcome_of(tokens).loss.size(), 1U);
  EXPECT_EQ(outcome_of(tests::random_biased_tokens(3, 2, 5)).dbias.size(), 5U);
}

TEST(CceOutcome, ReducesToSumAndMeanOfTheTokensThatAreValid) {
  Tokens tokens = tests::random_biased_tokens(4, 3, 5);
  tokens.targets[2] = -100;
  const CceOutcome<BigFloat> each = outcome_of(tokens);
  EXPECT_EQ(each.loss[2], BigFloat(0));
  CceOutcome<BigFloat> sum = each;
  sum.loss = {each.loss[0] + each.loss[1] + each.loss[3]};
  tokens.shape.reduction = Reduction::sum;
  expect_near(outcome_of(tokens), sum);
  const BigFloat third = BigFloat(1) / BigFloat(3);
  CceOutcome<BigFloat> mean = with_gradients_scaled(sum, third);
  scale(mean.loss, third);
  tokens.shape.reduction = Reduction::mean;
  expect_near(outcome_of(tokens), mean);
  tokens.upstream = {-2.5F};  // of the gradients alone
  expect_near(outcome_of(tokens), with_gradients_scaled(mean, BigFloat(-2.5)));
}

TEST(CceOutcome, IsLinearInTheUpstreamOfEachToken) {
  Tokens tokens = tests::random_biased_tokens(3, 2, 4);
  CceOutcome<BigFloat> expected = outcome_of(tokens);
  expected = with_gradients_scaled(expected, BigFloat(0));
  const std::vector<float> upstream{2, -0.5, 3};
  for (std::size_t n = 0; n < 3; ++n) {
    tokens.upstream.assign(3, 0.0F);
    tokens.upstream[n] = 1;
    const CceOutcome<BigFloat> alone = with_gradients_scaled(outcome_of(tokens), BigFloat(upstream[n]));
    for (std::size_t i = 0; i < alone.dhidden.size(); ++i) expected.dhidden[i] += alone.dhidden[i];
    for (std::size_t i = 0; i < alone.dweight.size(); ++i) expected.dweight[i] += alone.dweight[i];
    for (std::size_t i = 0; i < alone.dbias.size(); ++i) expected.dbias[i] += alone.dbias[i];
  }
  tokens.upstream = upstream;
  expect_near(outcome_of(tokens), expected);
}

TEST(CceOutcome, NeverReadsTokensThatAreIgnored) {
  Tokens tokens = tests::random_biased_tokens(3, 2, 4);
  tokens.targets[1] = 7;
  tokens.shape.ignore_index = 7;
  tokens.shape.reduction = Reduction::mean;
  const CceOutcome<BigFloat> finite = outcome_of(tokens);
  tokens.hidden[2] = tokens.hidden[3] = kNan;
  const CceOutcome<BigFloat> nan = outcome_of(tokens);
  EXPECT_EQ(nan.loss, finite.loss);
  EXPECT_EQ(nan.dhidden, finite.dhidden);
  EXPECT_EQ(nan.dweight, finite.dweight);
  EXPECT_EQ(nan.dbias, finite.dbias);
  EXPECT_EQ(nan.dhidden[2], BigFloat(0));
  EXPECT_EQ(nan.dhidden[3], BigFloat(0));
}

TEST(CceOutcome, OfNoTokenIsZero) {
  for (const Reduction reduction : {Reduction::none, Reduction::sum, Reduction::mean}) {
    Tokens ignored = tests::random_biased_tokens(2, 2, 3);
    ignored.targets = {-100, -100};
    ignored.hidden.assign(4, kNan);
    ignored.shape.z_loss = 1;
    Tokens none = tests::random_biased_tokens(0, 2, 3);
    for (Tokens* tokens : {&ignored, &none}) {
      tokens->shape.reduction = reduction;
      const CceOutcome<BigFloat> outcome = outcome_of(*tokens);
      for (const auto* array : {&outcome.loss, &outcome.dhidden, &outcome.dweight, &outcome.dbias})
        for (const BigFloat& element : *array) EXPECT_EQ(element, BigFloat(0));
      EXPECT_EQ(outcome.loss.size(), reduction == Reduction::none ? static_cast<std::size_t>(tokens->shape.N) : 1U);
    }
  }
}

/// A common offset of the logits changes lse and nothing else.
TEST(CceOutcome, DoesNotChangeWithACommonOffset) {
  Tokens tokens = tests::random_biased_tokens(3, 2, 4);
  for (double& b : tokens.bias) b = std::ldexp(std::round(std::ldexp(b, 20)), -20);  // so that adding 1e6 is exact
  const CceOutcome<BigFloat> before = outcome_of(tokens);
  for (double& b : tokens.bias) b += 1e6;
  expect_near(outcome_of(tokens), before);
}

TEST(CceOutcome, WithoutCapIsThatOfAnInfiniteOne) {
  Tokens tokens = tests::random_biased_tokens(3, 2, 4);
  const CceOutcome<BigFloat> without = outcome_of(tokens);
  tokens.shape.logit_softcap = std::numeric_limits<double>::infinity();
  EXPECT_EQ(outcome_of(tokens).dweight, without.dweight);
  tokens.shape.logit_softcap = 1e25;  // x = z (1 - (z / cap)^2 / 3 + ...)
  expect_near(outcome_of(tokens), without);
}

TEST(CceOutcome, OfABatchIsThatOfItsTokens) {
  const Tokens tokens = tests::random_biased_tokens(3, 2, 4);
  const CceOutcome<BigFloat> batch = outcome_of(tokens);
  for (std::size_t n = 0; n < 3; ++n) {
    Tokens single = tokens;
    single.shape.N = 1;
    single.hidden = {tokens.hidden[2 * n], tokens.hidden[2 * n + 1]};
    single.targets = {tokens.targets[n]};
    const CceOutcome<BigFloat> alone = outcome_of(single);
    expect_near(alone.loss[0], batch.loss[n]);
    for (std::size_t h = 0; h < 2; ++h) expect_near(alone.dhidden[h], batch.dhidden[2 * n + h]);
  }
}

TEST(CceOutcome, ShowsEachValidTokensRowOnce) {
  Tokens tokens = tests::random_tokens(4, 2, 3);
  tokens.targets[1] = -100;
  std::vector<std::int64_t> seen;
  const CceOutcome<BigFloat> outcome = cce_outcome<BigFloat>(tokens.problem(), [&](std::int64_t n,
                                                                                   const CceRow<BigFloat>& row) {
    seen.push_back(n);
    const CceRow<BigFloat> alone = cce_row<BigFloat>(tokens.problem(), n);
    expect_near(row.x, alone.x);
    expect_near(row.p, alone.p);
    BigFloat sum(0);
    for (const BigFloat& p : row.p) sum += p;
    expect_near(sum, BigFloat(1));
    expect_near(row.rest, BigFloat(1) - row.p[static_cast<std::size_t>(tokens.targets[static_cast<std::size_t>(n)])]);
    expect_near(row.lse, NumberTraits<BigFloat>::log(NumberTraits<BigFloat>::exp(row.x[0]) +
                                                     NumberTraits<BigFloat>::exp(row.x[1]) +
                                                     NumberTraits<BigFloat>::exp(row.x[2])));
  });
  EXPECT_EQ(seen, (std::vector<std::int64_t>{0, 2, 3}));
  EXPECT_EQ(outcome.loss.size(), 4U);
}

#if ASSAY_HAVE_CERTIFIED
TEST(CceOutcome, IsEnclosedByBalls) {
  for (const double cap : {0.0, 3.0})
    for (const double eps : {0.0, 0.1}) {
      Tokens tokens = tests::random_biased_tokens(3, 4, 6, 5);
      tokens.bias[2] = eps == 0 ? -std::numeric_limits<double>::infinity() : 0;
      tokens.targets = {0, 1, 5};
      tokens.shape.logit_softcap = cap, tokens.shape.label_smoothing = eps, tokens.shape.z_loss = 0.01;
      const CceOutcome<Ball> balls = cce_outcome<Ball>(tokens.problem());
      const PrecisionScope scope(90);
      const CceOutcome<BigFloat> exact = outcome_of(tokens);
      const auto expect_enclosed = [](const std::vector<Ball>& ball, const std::vector<BigFloat>& truth) {
        ASSERT_EQ(ball.size(), truth.size());
        for (std::size_t i = 0; i < ball.size(); ++i) {
          EXPECT_TRUE(ball[i].contains(truth[i])) << "[" << i << "] " << ball[i] << ", but " << truth[i];
          EXPECT_TRUE(ball[i].radius() < BigFloat(1e-45)) << ball[i].radius();
        }
      };
      expect_enclosed(balls.loss, exact.loss);
      expect_enclosed(balls.dhidden, exact.dhidden);
      expect_enclosed(balls.dweight, exact.dweight);
      expect_enclosed(balls.dbias, exact.dbias);
    }
}

TEST(CceOutcome, OfAWordOutsideTheVocabularyIsInfiniteOverBallsToo) {
  Tokens tokens = tests::random_biased_tokens(1, 2, 3);
  tokens.bias[1] = -std::numeric_limits<double>::infinity();
  tokens.targets = {1};
  const CceOutcome<Ball> outcome = cce_outcome<Ball>(tokens.problem());
  EXPECT_TRUE(outcome.loss[0].midpoint() == NumberTraits<BigFloat>::infinity() && outcome.loss[0].is_exact());
  EXPECT_TRUE(outcome.dbias[1].contains(BigFloat(-1)));
  tokens.targets = {0};
  tokens.shape.label_smoothing = 0.1;
  tokens.shape.z_loss = 0.3;
  const Ball loss = cce_outcome<Ball>(tokens.problem()).loss[0];
  EXPECT_TRUE(loss.midpoint() == NumberTraits<BigFloat>::infinity() && loss.is_exact());
}
#endif

}  // namespace
}  // namespace assay::reference
