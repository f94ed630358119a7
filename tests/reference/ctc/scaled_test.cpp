// The scaled variables against the unscaled ones, in exact rationals, and where p(l|x) underflows.
#include "reference/ctc/scaled.h"

#include "reference/ctc/enumeration.h"
#include "reference/ctc/weights.h"
#include "reference/number/extended.h"
#include "reference/number/log_number.h"
#include "tests/reference/ctc/lattices.h"

namespace assay::reference {
namespace {

using tests::for_each_feasible;
using tests::Lattice;

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

TEST(GradientWrtLogitsScaled, IsThatOfEnumeration) {
  for_each_feasible([](const Lattice& x, const auto&, const auto&, const Rational&) {
    const auto forward = alpha_scaled(x.y, x.expanded), backward = beta_scaled(x.y, x.expanded);
    EXPECT_TRUE(gradient_wrt_logits_scaled(x.y, x.expanded, forward.values, backward.values) ==
                gradient_wrt_logits_by_enumeration(x.y, x.labels, x.blank));
  });
}

}  // namespace
}  // namespace assay::reference
