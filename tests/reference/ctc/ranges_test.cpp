// The recursions in logarithms, scaled per frame and with extended range, against exact rationals.
#include <gtest/gtest.h>

#include <cmath>

#include "reference/ctc/alpha.h"
#include "reference/ctc/scaled.h"
#include "reference/ctc/beta.h"
#include "reference/ctc/eesen.h"
#include "reference/ctc/gradient.h"
#include "reference/ctc/gradient_two_step.h"
#include "reference/ctc/lattice.h"
#include "reference/ctc/loss.h"
#include "reference/ctc/posterior.h"
#include "reference/ctc/weights.h"
#include "reference/number/extended.h"
#include "reference/number/log_number.h"
#include "tests/reference/ctc/lattices.h"

namespace assay::reference {
namespace {

using tests::Lattice;

/// Some 30 roundings of 2^-53 each are met at T = 5; logarithms of at most 20 round to 20 * 2^-53.
constexpr double kRounding = 200 * 0x1p-53;

Matrix<double> doubles(const Matrix<Rational>& x) {
  Matrix<double> result(x.rows(), x.cols());
  for (std::int64_t i = 0; i < x.rows(); ++i)
    for (std::int64_t j = 0; j < x.cols(); ++j) result(i, j) = x(i, j).convert_to<double>();
  return result;
}

/// got [i, j] within kRounding of want [i, j], relatively.
void expect_close(const Matrix<double>& got, const Matrix<Rational>& want) {
  ASSERT_EQ(got.rows(), want.rows());
  ASSERT_EQ(got.cols(), want.cols());
  for (std::int64_t i = 0; i < got.rows(); ++i)
    for (std::int64_t j = 0; j < got.cols(); ++j) {
      const double exact = want(i, j).convert_to<double>();
      if (!(std::abs(got(i, j) - exact) <= kRounding * std::abs(exact)))
        ADD_FAILURE() << "[" << i << ", " << j << "]: " << got(i, j) << ", exactly " << exact;
    }
}

template <class Weight>
void expect_recursions_over(const Lattice& x) {
  const Matrix<Weight> y = weights<Weight>(doubles(x.y));
  expect_close(values(alpha(y, x.expanded)), alpha(x.y, x.expanded));
  expect_close(values(beta_including_y(y, x.expanded)), beta_including_y(x.y, x.expanded));
  expect_close(values(beta_excluding_y(y, x.expanded)), beta_excluding_y(x.y, x.expanded));
  const Rational p = alpha_total(alpha(x.y, x.expanded));
  if (p == 0) return;
  const Matrix<Weight> forward = alpha(y, x.expanded);
  expect_close(values(posterior(y, x.expanded, forward, alpha_total(forward))),
               posterior(x.y, x.expanded, alpha(x.y, x.expanded), p));
  EXPECT_NEAR(loss(alpha_total(forward)), -std::log(p.convert_to<double>()), kRounding);
}

TEST(LogNumber, CarriesTheRecursions) {
  tests::for_each_lattice(expect_recursions_over<LogNumber<double>>);
}

TEST(Extended, CarriesTheRecursions) {
  tests::for_each_lattice(expect_recursions_over<Extended<double>>);
}

TEST(Eesen, AgreesWithTheSemiringWhereTheEndIsInReach) {
  tests::for_each_lattice([](const Lattice& x) {
    Matrix<double> log_y = doubles(x.y);
    for (std::int64_t t = 0; t < x.T; ++t)
      for (double& output : log_y.row(t)) output = std::log(output);
    const Matrix<double> forward = eesen_alpha(log_y, x.expanded), backward = eesen_beta(log_y, x.expanded);
    const Matrix<Rational> a = alpha(x.y, x.expanded), b = beta_including_y(x.y, x.expanded);
    const std::int64_t L = a.cols();
    for (std::int64_t t = 0; t < x.T; ++t) {
      const auto [first, end] = live_states(t, x.T, L);
      for (std::int64_t s = 0; s < L; ++s) {
        if (s >= first) {
          EXPECT_NEAR(std::exp(forward(t, s)), a(t, s).convert_to<double>(), kRounding);
        }
        if (s < end) {
          EXPECT_NEAR(std::exp(backward(t, s)), b(t, s).convert_to<double>(), kRounding);
        }
      }
    }
  });
}

/// Eesen's own road from end to end: log alpha, log beta, E in logarithms, through the softmax.
TEST(Eesen, GivesTheGradientInTwoSteps) {
  using Log = LogNumber<double>;
  tests::for_each_lattice([](const Lattice& x) {
    const Rational p = alpha_total(alpha(x.y, x.expanded));
    if (p == 0 || x.T == 0) return;
    const Matrix<Log> y = weights<Log>(doubles(x.y));
    Matrix<double> log_y(x.T, tests::kClasses);
    for (std::int64_t t = 0; t < x.T; ++t)
      for (std::int64_t k = 0; k < tests::kClasses; ++k) log_y(t, k) = y(t, k).log();
    const auto as_weights = [](const Matrix<double>& logs) {
      Matrix<Log> result(logs.rows(), logs.cols());
      for (std::int64_t t = 0; t < logs.rows(); ++t)
        for (std::int64_t s = 0; s < logs.cols(); ++s) result(t, s) = Log::from_log(logs(t, s));
      return result;
    };
    const Matrix<Log> forward = as_weights(eesen_alpha(log_y, x.expanded));
    const Matrix<double> got = gradient_wrt_logits_two_step(
        y, x.expanded, forward, as_weights(eesen_beta(log_y, x.expanded)), alpha_total(forward));
    const Matrix<Rational> want =
        gradient_wrt_logits(x.y, x.expanded, alpha(x.y, x.expanded), beta_including_y(x.y, x.expanded), p);
    for (std::int64_t t = 0; t < x.T; ++t)
      for (std::int64_t k = 0; k < tests::kClasses; ++k)
        EXPECT_NEAR(got(t, k), want(t, k).convert_to<double>(), kRounding) << "t=" << t << " k=" << k;
  });
}

TEST(AlphaScaled, TimesItsScalesIsAlpha) {
  tests::for_each_lattice([](const Lattice& x) {
    const Matrix<Rational> unscaled = alpha(x.y, x.expanded);
    if (alpha_total(unscaled) == 0) return;
    const Scaled<Rational> scaled = alpha_scaled(x.y, x.expanded);
    Rational product = 1;
    for (std::int64_t t = 0; t < x.T; ++t) {
      product *= scaled.scale[static_cast<std::size_t>(t)];
      for (std::int64_t s = 0; s < unscaled.cols(); ++s)
        EXPECT_EQ(Rational(scaled.values(t, s) * product), unscaled(t, s));
    }
    EXPECT_EQ(product, alpha_total(unscaled));  // ln p = sum_t ln C_t
  });
}

TEST(BetaScaled, TimesItsScalesIsBeta) {
  tests::for_each_lattice([](const Lattice& x) {
    if (alpha_total(alpha(x.y, x.expanded)) == 0) return;
    const Matrix<Rational> unscaled = beta_including_y(x.y, x.expanded);
    const Scaled<Rational> scaled = beta_scaled(x.y, x.expanded);
    Rational product = 1;
    for (std::int64_t t = x.T - 1; t >= 0; --t) {
      product *= scaled.scale[static_cast<std::size_t>(t)];
      for (std::int64_t s = 0; s < unscaled.cols(); ++s)
        EXPECT_EQ(Rational(scaled.values(t, s) * product), unscaled(t, s));
    }
  });
}

TEST(LossScaled, IsFiniteWhereTheProbabilityUnderflows) {
  const std::int64_t T = 2000;
  const std::vector<std::int64_t> expanded = expand(std::vector<std::int64_t>{1, 1, 2}, 0);
  const Matrix<double> y(T, 3, 1e-3);
  EXPECT_EQ(alpha_total(alpha(y, expanded)), 0);
  const double got = loss_scaled<double>(alpha_scaled(y, expanded).scale);
  const double want = loss(alpha_total(alpha(weights<Extended<double>>(y), expanded)));
  EXPECT_NEAR(got, want, 1e-12 * want);
  EXPECT_NEAR(loss(alpha_total(alpha(weights<LogNumber<double>>(y), expanded))), want, 1e-12 * want);
}

}  // namespace
}  // namespace assay::reference
