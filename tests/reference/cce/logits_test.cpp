#include "reference/cce/logits.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "reference/number/big_float.h"
#include "reference/number/exact.h"
#include "tests/reference/expect.h"

namespace assay::reference {
namespace {

using tests::infinity;

TEST(Logits, AreExactOverRationals) {
  const std::vector<double> hidden{0.1, 0x1p-60}, weight{3, 0x1p60, 0.1, -1, 0x1p-140, 0}, bias{-1, 0, 0.5};
  const std::vector<Rational> z =
      logits<Rational>(elements<Rational>(std::span(hidden)), elements<Rational>(std::span(weight)),
                       elements<Rational>(std::span(bias)));
  const Rational tenth(0.1);
  EXPECT_EQ(z[0], Rational(3 * tenth + 1 - 1));
  EXPECT_EQ(z[1], Rational(tenth * tenth - Rational(0x1p-60)));
  EXPECT_EQ(z[2], Rational(tenth * Rational(0x1p-140) + Rational(1, 2)));
}

TEST(Logits, OfABiasOfMinusInfinityAreMinusInfinity) {
  const std::vector<BigFloat> hidden{1e30}, weight{1e30, 2}, bias{-infinity, 1};
  const std::vector<BigFloat> z = logits<BigFloat>(hidden, weight, bias);
  EXPECT_TRUE(is_minus_infinity(z[0]));
  EXPECT_FALSE(is_minus_infinity(z[1]));
  const std::vector<float> large{1e30F}, small{-std::numeric_limits<float>::infinity(), 1};
  EXPECT_TRUE(is_minus_infinity(logits<float>(large, std::vector{1e30F, 1.0F}, small)[0]));  // -inf + inf is not formed
  EXPECT_EQ(logits<BigFloat>(hidden, weight, {})[1], BigFloat(2) * BigFloat(1e30));
}

TEST(DigitsOfLogits, GrowWithWhatLogitsMayBe) {
  std::vector<double> hidden{1e3, 4e7}, weight{-1e3}, bias;
  const std::vector<std::int64_t> targets{0, -100};
  CceProblem<double> problem;
  problem.N = 2;
  problem.hidden = hidden, problem.weight = weight, problem.targets = targets;
  const int spare = digits_of_logits(problem) - precision_digits();  // the ignored token's 4e7 does not count
  EXPECT_GE(spare, 6 + 1);
  EXPECT_LE(spare, 6 + 3);
  hidden[0] = 0;
  EXPECT_LE(digits_of_logits(problem), precision_digits() + 3);
  hidden[0] = weight[0] = 1e308;
  EXPECT_GE(digits_of_logits(problem), std::min(precision_digits() + 616, max_digits));
}

}  // namespace
}  // namespace assay::reference
