// Batches of tokens: shapes, upstream, what does not change the result, and enclosures.
#include "reference/cce/outcome.h"

#include <limits>
#include <vector>

#include "reference/number/ball.h"
#include "reference/number/big_float.h"
#include "tests/reference/cce/tokens.h"
#include "tests/reference/expect.h"
#include "tests/refusal.h"

namespace assay::reference {
namespace {

using tests::gradients;
using tests::Tokens;

using tests::nan;
constexpr double tinier = 1e-46;

void expect_near(const BigFloat& got, const BigFloat& want) {
  tests::expect_near(got, want, tinier);
}

void expect_near(const std::vector<BigFloat>& got, const std::vector<BigFloat>& want) {
  tests::expect_near(got, want, tinier);
}

void expect_near(const CceOutcome<BigFloat>& got, const CceOutcome<BigFloat>& want) {
  expect_near(got.loss, want.loss);
  expect_near(gradients(got), gradients(want));
}

CceOutcome<BigFloat> outcome_of(const Tokens& tokens) {
  return cce_outcome<BigFloat>(tokens.problem());
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

TEST(CceOutcome, IsLinearInTheUpstreamOfEachToken) {
  Tokens tokens = tests::random_biased_tokens(3, 2, 4);
  const std::vector<float> upstream{2, -0.5, 3};
  std::vector<BigFloat> expected(gradients(outcome_of(tokens)).size());
  for (std::size_t n = 0; n < 3; ++n) {
    tokens.upstream.assign(3, 0.0F);
    tokens.upstream[n] = 1;
    const std::vector<BigFloat> alone = gradients(outcome_of(tokens));
    for (std::size_t i = 0; i < alone.size(); ++i) expected[i] += BigFloat(upstream[n]) * alone[i];
  }
  tokens.upstream = upstream;
  expect_near(gradients(outcome_of(tokens)), expected);
}

TEST(CceOutcome, OfNoTokenIsZero) {
  for (const Reduction reduction : {Reduction::none, Reduction::sum, Reduction::mean}) {
    Tokens ignored = tests::random_biased_tokens(2, 2, 3);
    ignored.targets = {-100, -100};
    ignored.hidden.assign(4, nan);
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

/// A common offset of the logits changes neither loss nor gradients.
TEST(CceOutcome, DoesNotChangeWithACommonOffset) {
  Tokens tokens = tests::random_biased_tokens(3, 2, 4);
  for (double& b : tokens.bias) b = std::ldexp(std::round(std::ldexp(b, 20)), -20);  // so that adding 1e6 is exact
  const CceOutcome<BigFloat> before = outcome_of(tokens);
  for (double& b : tokens.bias) b += 1e6;
  expect_near(outcome_of(tokens), before);
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

TEST(CceOutcome, RefusesWhatIsNotWellPosed) {
  Tokens tokens = tests::random_tokens(3, 2, 4);
  tokens.targets[1] = -100;
  const auto refusal = [&](std::int64_t n) { return refusal_of([&] { cce_row<double>(tokens.problem(), n); }); };
  EXPECT_EQ(refusal(2), "accepted");
  EXPECT_EQ(refusal(3), "n = 3: expected a token in [0, N=3)");
  EXPECT_EQ(refusal(-1), "n = -1: expected a token in [0, N=3)");
  EXPECT_EQ(refusal(1), "n = 1: expected a token that is not ignored");
  tokens.weight[0] = nan;
  EXPECT_THROW(outcome_of(tokens), std::invalid_argument);
  tokens = tests::random_tokens(3, 2, 4);
  tokens.shape.z_loss = -1;
  EXPECT_THROW(outcome_of(tokens), std::invalid_argument);
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

TEST(CceOutcome, OfAnEntryOutsideTheVocabularyIsInfiniteOverBallsToo) {
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
