// Certified enclosures contain the exact value, and the value computed with a thousand digits.
#include "reference/number/ball.h"

#include <gtest/gtest.h>

#if ASSAY_HAVE_CERTIFIED

#include <limits>

#include "reference/ctc/alpha.h"
#include "reference/ctc/batch.h"
#include "reference/ctc/posterior.h"
#include "tests/reference/ctc/lattices.h"
#include "tests/reference/ctc/problems.h"
#include "tests/reference/expect.h"

namespace assay::reference {
namespace {

using tests::infinity;

using BallTraits = NumberTraits<Ball>;

TEST(Ball, EnclosesEveryOperation) {
  const Rational a(355, 113), b(-22, 7);
  const Ball x = Ball(355) / Ball(113), y = Ball(-22) / Ball(7);
  EXPECT_FALSE(x.is_exact());
  EXPECT_TRUE(x.contains(a));
  EXPECT_TRUE((x + y).contains(Rational(a + b)));
  EXPECT_TRUE((x - y).contains(Rational(a - b)));
  EXPECT_TRUE((x * y).contains(Rational(a * b)));
  EXPECT_TRUE((x / y).contains(Rational(a / b)));
  EXPECT_TRUE((-x).contains(Rational(-a)));
  EXPECT_FALSE(x.contains(b));
  EXPECT_FALSE(x.overlaps(y));
  EXPECT_TRUE(x.overlaps(x));
  Ball z = x;
  EXPECT_TRUE((z += y).contains(Rational(a + b)));
}

TEST(Ball, KnowsItsEnds) {
  const Ball third = Ball(1) / Ball(3);
  EXPECT_LT(third.lower(), third.midpoint());
  EXPECT_LT(third.midpoint(), third.upper());
  EXPECT_GT(third.radius(), 0);
  EXPECT_LT(third.radius(), BigFloat(1e-50));
  EXPECT_TRUE(third.contains(third.lower()) || third.lower() < third.midpoint() - third.radius());
  EXPECT_TRUE(third.contains(third.midpoint()));
  EXPECT_FALSE(third.contains(BigFloat(0.25)));
  EXPECT_EQ(Ball(0.25).midpoint(), 0.25);
  EXPECT_EQ(Ball(0.25).radius(), 0);
  EXPECT_EQ(BallTraits::to_string(Ball(0.25), 10), "0.2500000000");
  EXPECT_NE(BallTraits::to_string(third, 60).find("+/-"), std::string::npos);
  EXPECT_EQ(BallTraits::to_double(third), 1.0 / 3.0);
}

TEST(Ball, LiesBetween) {
  const Ball x = Ball::between(BigFloat(0.25), BigFloat(1) / BigFloat(3));
  EXPECT_TRUE(x.contains(Rational(1, 4)) && x.contains(BigFloat(1) / BigFloat(3)));
  EXPECT_FALSE(x.contains(Rational(24, 100)) || x.contains(Rational(34, 100)));
}

TEST(Ball, ComparesOnlyWithCertainty) {
  const Ball third = Ball(1) / Ball(3), other = Ball(2) / Ball(6);
  EXPECT_TRUE(third < Ball(1) && Ball(1) > third);
  EXPECT_FALSE(third < other || other < third);
  EXPECT_TRUE(BallTraits::is_zero(Ball(0)));
  EXPECT_FALSE(BallTraits::is_zero(third - other));
  EXPECT_FALSE(BallTraits::is_positive(third - other));
  EXPECT_TRUE(BallTraits::is_positive(third));
}

TEST(Ball, HasTheEndsOfExpAndLog) {
  EXPECT_TRUE(BallTraits::is_zero(BallTraits::exp(Ball(-infinity))));
  EXPECT_FALSE(BallTraits::is_finite(BallTraits::log(Ball(0))));
  EXPECT_TRUE(BallTraits::log(Ball(0)) < Ball(0));
  EXPECT_TRUE(BallTraits::is_nan(BallTraits::nan()));
  EXPECT_TRUE(Ball("0.1").contains(Rational(1, 10)));
  EXPECT_THROW(Ball("a tenth"), std::invalid_argument);
}

TEST(Ball, EnclosesTheExactRecursions) {
  tests::for_each_lattice([](const tests::Lattice& x) {
    Matrix<Ball> y(x.T, tests::class_count);
    for (std::int64_t t = 0; t < x.T; ++t)
      for (std::int64_t k = 0; k < tests::class_count; ++k)
        y(t, k) = Ball(numerator(x.y(t, k)).str()) / Ball(denominator(x.y(t, k)).str());
    const Rational p = alpha_total(alpha(x.y, x.expanded));
    const Ball enclosure = alpha_total(alpha(y, x.expanded));
    EXPECT_TRUE(enclosure.contains(p));
    if (p == 0) return;
    const auto exact = posterior(x.y, x.expanded, alpha(x.y, x.expanded), p);
    const auto gamma = posterior(y, x.expanded, alpha(y, x.expanded), enclosure);
    for (std::int64_t t = 0; t < x.T; ++t)
      for (std::int64_t k = 0; k < tests::class_count; ++k) EXPECT_TRUE(gamma(t, k).contains(exact(t, k)));
  });
}

/// Real sizes: at D digits the enclosure contains the value of 1000 digits, its radius is at most 10^-D, and the
/// BigFloat of D digits is as near as its digits promise.
TEST(CtcOutcome, IsCertifiedToTheDigitsAskedFor) {
  const tests::Batch batch = tests::random_batch(150, 1, 28, 75);
  CtcOutcome<BigFloat> fine;
  {
    PrecisionScope scope(1000);
    fine = ctc_outcome<BigFloat>(batch.problem());
  }
  for (const int digits : {50, 100}) {
    PrecisionScope scope(digits);
    const BigFloat radius("1e-" + std::to_string(digits)), distance("1e-" + std::to_string(digits - 6));
    const CtcOutcome<Ball> certified = ctc_outcome<Ball>(batch.problem());
    const CtcOutcome<BigFloat> rounded = ctc_outcome<BigFloat>(batch.problem());
    EXPECT_TRUE(certified.loss[0].contains(fine.loss[0]));
    EXPECT_LE(certified.loss[0].radius(), radius * fine.loss[0]);
    EXPECT_LE(abs(BigFloat(rounded.loss[0] - fine.loss[0])), distance);
    for (std::size_t i = 0; i < fine.gradient.size(); ++i) {
      EXPECT_TRUE(certified.gradient[i].contains(fine.gradient[i])) << i;
      EXPECT_LE(certified.gradient[i].radius(), radius) << i;
      EXPECT_LE(abs(BigFloat(rounded.gradient[i] - fine.gradient[i])), distance) << i;
    }
  }
}

TEST(CtcRow, IsCertifiedWhereLogitsAreHuge) {
  tests::Batch batch = tests::random_batch(2, 1, 2, 1);
  for (const double scale : {1e6, 1e30, 1e307}) {
    batch.activations = {scale, -scale, scale, -scale};
    batch.targets = {1};
    const CtcRow<Ball> row = ctc_row<Ball>(batch.problem(), 0);
    ASSERT_TRUE(row.possible) << scale;
    EXPECT_TRUE(BallTraits::is_finite(row.loss)) << scale;
    EXPECT_LT(row.loss.radius(), abs(row.loss.midpoint()) * BigFloat(1e-40)) << scale;
    EXPECT_LT(abs(BigFloat(row.posterior(0, 1).midpoint() - 0.5)), BigFloat(1e-40)) << scale;
    EXPECT_LT(row.posterior(0, 1).radius(), BigFloat(1e-40)) << scale;
  }
}

TEST(CtcRow, IsImpossibleInBallsAsElsewhere) {
  tests::Batch batch = tests::random_batch(2, 1, 2, 2);
  batch.targets = {1, 1};
  EXPECT_FALSE(ctc_row<Ball>(batch.problem(), 0).possible);
  const CtcOutcome<Ball> outcome = ctc_outcome<Ball>(batch.problem());
  EXPECT_TRUE(BallTraits::is_nan(outcome.gradient[0]));
  EXPECT_TRUE(Ball(1e300) < outcome.loss[0]);
}

}  // namespace
}  // namespace assay::reference

#else

TEST(Ball, IsAbsentWithoutArb) {
  EXPECT_EQ(ASSAY_HAVE_CERTIFIED, 0);
}

#endif
