// The soft cap of logits: to all digits at any size of the ratio z / cap.
#include "reference/cce/softcap.h"

#include <cmath>
#include <limits>

#include "reference/number/ball.h"
#include "reference/number/big_float.h"
#include "tests/reference/expect.h"

namespace assay::reference {
namespace {

using tests::expect_relatively_near;

using tests::infinity;

TEST(Softcap, OfNoneIsTheLogit) {
  for (const double cap : {0.0, infinity})
    for (const double z : {-infinity, -3.0, 0.0, 1e300}) {
      const Capped<double> capped = softcap(z, cap);
      EXPECT_EQ(capped.value, z);
      EXPECT_EQ(capped.derivative, 1);
    }
}

TEST(Softcap, OfMinusInfinityIsMinusTheCap) {
  const Capped<double> capped = softcap(-infinity, 30.0);
  EXPECT_EQ(capped.value, -30);
  EXPECT_EQ(capped.derivative, 0);
  const Capped<BigFloat> any = softcap(BigFloat(-infinity), BigFloat(30));
  EXPECT_EQ(any.value, BigFloat(-30));
  EXPECT_EQ(any.derivative, BigFloat(0));
}

/// Against tanh by its definition, with more digits than cancel in it.
TEST(Softcap, KeepsAllDigitsOfValueAndDerivative) {
  for (const double ratio : {1e-20, 1e-10, 0.01, 0.5, 1.0, 3.0, 20.0})
    for (const double sign : {1.0, -1.0}) {
      const BigFloat cap(3), z = BigFloat(sign * ratio) * cap;
      const Capped<BigFloat> capped = softcap(z, cap);
      const PrecisionScope scope(115);
      const BigFloat up = NumberTraits<BigFloat>::exp(BigFloat(sign * ratio)),
                     down = NumberTraits<BigFloat>::exp(BigFloat(-sign * ratio));
      const BigFloat tanh = (up - down) / (up + down);
      expect_relatively_near(capped.value, cap * tanh, 1e-48);
      expect_relatively_near(capped.derivative, BigFloat(1) - tanh * tanh, 1e-48);
    }
}

TEST(Softcap, HasATailThatDoesNotVanish) {
  const Capped<BigFloat> capped = softcap(BigFloat(400), BigFloat(1));
  EXPECT_TRUE(BigFloat(1) - capped.value <= BigFloat(1e-48));
  expect_relatively_near(capped.derivative, BigFloat(4) * NumberTraits<BigFloat>::exp(BigFloat(-800)), 1e-48);
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
      expect_relatively_near(BigFloat(capped.value), exact.value, slack * 9 * u);
      if (ratio < 40)
        expect_relatively_near(BigFloat(capped.derivative), exact.derivative, slack * (8 + 2 * ratio) * u);
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
  const Capped<Ball> outside = softcap(Ball(-infinity), Ball(2.5));
  EXPECT_TRUE(outside.value.is_exact() && outside.value.contains(BigFloat(-2.5)));
}
#endif

}  // namespace
}  // namespace assay::reference
