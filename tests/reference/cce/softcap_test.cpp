// Logits and their soft cap: exact over rationals, to all digits at any size of the ratio z / cap.
#include "reference/cce/softcap.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "reference/cce/logits.h"
#include "reference/number/ball.h"
#include "reference/number/big_float.h"
#include "reference/number/exact.h"

namespace assay::reference {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// |got / want - 1| <= bound, which fails on NaN.
void expect_close(const BigFloat& got, const BigFloat& want, double bound) {
  const BigFloat error = abs(BigFloat(got / want - BigFloat(1)));
  if (!(error <= BigFloat(bound))) ADD_FAILURE() << got << ", expected " << want;
}

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
  const std::vector<BigFloat> hidden{1e30}, weight{1e30, 2}, bias{-kInfinity, 1};
  const std::vector<BigFloat> z = logits<BigFloat>(hidden, weight, bias);
  EXPECT_TRUE(is_minus_infinity(z[0]));
  EXPECT_FALSE(is_minus_infinity(z[1]));
  const std::vector<float> large{1e30F}, small{-std::numeric_limits<float>::infinity(), 1};
  EXPECT_TRUE(is_minus_infinity(logits<float>(large, std::vector{1e30F, 1.0F}, small)[0]));  // -inf + inf is not formed
  EXPECT_EQ(logits<BigFloat>(hidden, weight, {})[1], BigFloat(2) * BigFloat(1e30));
}

/// A 16-bit type as kernels have them: it converts to float.
struct Tiny {
  float value;
  operator float() const { return value; }  // NOLINT(google-explicit-constructor)
};

TEST(Elements, OfNarrowTypesAreTakenExactly) {
  const std::vector<Tiny> array{{0.5F}, {0x1.8p-24F}, {-65504.0F}};
  const std::vector<Rational> numbers = elements<Rational>(std::span(array));
  EXPECT_EQ(numbers, (std::vector<Rational>{Rational(1, 2), Rational(0x1.8p-24), Rational(-65504)}));
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
  EXPECT_GE(digits_of_logits(problem), std::min(precision_digits() + 616, kMostDigits));
}

TEST(Softcap, OfNoneIsTheLogit) {
  for (const double cap : {0.0, kInfinity})
    for (const double z : {-kInfinity, -3.0, 0.0, 1e300}) {
      const Capped<double> capped = softcap(z, cap);
      EXPECT_EQ(capped.value, z);
      EXPECT_EQ(capped.derivative, 1);
    }
}

TEST(Softcap, OfMinusInfinityIsMinusTheCap) {
  const Capped<double> capped = softcap(-kInfinity, 30.0);
  EXPECT_EQ(capped.value, -30);
  EXPECT_EQ(capped.derivative, 0);
  const Capped<BigFloat> any = softcap(BigFloat(-kInfinity), BigFloat(30));
  EXPECT_EQ(any.value, BigFloat(-30));
  EXPECT_EQ(any.derivative, BigFloat(0));
}

/// tanh by its definition with as many digits more as cancel.
TEST(Softcap, KeepsAllDigitsOfValueAndDerivative) {
  using Traits = NumberTraits<BigFloat>;
  for (const double ratio : {1e-20, 1e-10, 0.01, 0.5, 1.0, 3.0, 20.0})
    for (const double sign : {1.0, -1.0}) {
      const BigFloat cap(3), z = BigFloat(sign * ratio) * cap;
      const Capped<BigFloat> capped = softcap(z, cap);
      const PrecisionScope scope(115);
      const BigFloat up = Traits::exp(BigFloat(sign * ratio)), down = Traits::exp(BigFloat(-sign * ratio));
      const BigFloat tanh = (up - down) / (up + down);
      expect_close(capped.value, cap * tanh, 1e-48);
      expect_close(capped.derivative, BigFloat(1) - tanh * tanh, 1e-48);
    }
}

TEST(Softcap, HasATailThatDoesNotVanish) {
  const Capped<BigFloat> capped = softcap(BigFloat(400), BigFloat(1));
  EXPECT_TRUE(BigFloat(1) - capped.value <= BigFloat(1e-48));
  expect_close(capped.derivative, BigFloat(4) * NumberTraits<BigFloat>::exp(BigFloat(-800)), 1e-48);
}

/// The bounds that the header states.
template <class Real>
void expect_within_bounds() {
  const Real u = std::numeric_limits<Real>::epsilon() / 2;
  for (Real z = Real(1e-8); z < Real(400); z *= Real(1.37))
    for (const Real cap : {Real(1), Real(30), Real(0.3)}) {
      const Capped<Real> capped = softcap(-z, cap);
      const Capped<BigFloat> exact = softcap(BigFloat(-z), BigFloat(cap));
      const double ratio = static_cast<double>(z / cap), slack = 1.001;
      expect_close(BigFloat(capped.value), exact.value, slack * 9 * u);
      if (ratio < 40) expect_close(BigFloat(capped.derivative), exact.derivative, slack * (8 + 2 * ratio) * u);
      EXPECT_EQ(softcap(z, cap).value, -capped.value);
      EXPECT_EQ(softcap(z, cap).derivative, capped.derivative);
    }
}

TEST(Softcap, IsWithinItsBoundsInFloatAndDouble) {
  expect_within_bounds<float>();
  expect_within_bounds<double>();
}

TEST(Softcap, NeitherOverflowsNorSwallowsNan) {
  const Capped<float> capped = softcap(1e30F, 1e-30F);
  EXPECT_EQ(capped.value, 1e-30F);
  EXPECT_EQ(capped.derivative, 0);
  EXPECT_TRUE(std::isnan(softcap(std::nan(""), 2.0).value));
}

#if ASSAY_HAVE_CERTIFIED
TEST(Softcap, EnclosesTheTruth) {
  for (const double z : {-50.0, -1.0, -1e-30, 0.0, 1e-30, 0.75, 200.0}) {
    const Capped<Ball> ball = softcap(Ball(z), Ball(2.5));
    const PrecisionScope scope(90);
    const Capped<BigFloat> exact = softcap(BigFloat(z), BigFloat(2.5));
    EXPECT_TRUE(ball.value.contains(exact.value)) << z;
    EXPECT_TRUE(ball.derivative.contains(exact.derivative)) << z;
  }
  const Ball either = Ball(std::string("0 +/- 1e-30"));  // of unknown sign
  EXPECT_TRUE(softcap(either, Ball(2.5)).value.contains(BigFloat(0)));
  EXPECT_TRUE(softcap(either, Ball(2.5)).value.radius() < BigFloat(2e-30));
  const Capped<Ball> outside = softcap(Ball(-kInfinity), Ball(2.5));
  EXPECT_TRUE(outside.value.is_exact() && outside.value.contains(BigFloat(-2.5)));
}
#endif

}  // namespace
}  // namespace assay::reference
