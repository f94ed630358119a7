// Eesen's recursions and the gradient from them against exact rationals.
#include "reference/ctc/eesen.h"

#include <cmath>

#include "reference/ctc/gradient.h"
#include "reference/ctc/gradient_two_step.h"
#include "reference/ctc/weights.h"
#include "reference/number/log_number.h"
#include "tests/reference/ctc/lattices.h"

namespace assay::reference {
namespace {

using tests::Lattice;

TEST(Eesen, AgreesWithTheSemiringWhereTheEndIsInReach) {
  tests::for_each_lattice([](const Lattice& x) {
    const Matrix<double> log_y = map(x.y, [](const Rational& y) { return std::log(tests::to_double(y)); });
    const Matrix<double> forward = eesen_alpha(log_y, x.expanded), backward = eesen_beta(log_y, x.expanded);
    const Matrix<Rational> a = alpha(x.y, x.expanded), b = beta_including_y(x.y, x.expanded);
    const std::int64_t L = a.cols();
    for (std::int64_t t = 0; t < x.T; ++t) {
      const auto [first, end] = live_states(t, x.T, L);
      for (std::int64_t s = 0; s < L; ++s) {
        if (s >= first) {
          EXPECT_NEAR(std::exp(forward(t, s)), tests::to_double(a(t, s)), tests::rounding);
        }
        if (s < end) {
          EXPECT_NEAR(std::exp(backward(t, s)), tests::to_double(b(t, s)), tests::rounding);
        }
      }
    }
  });
}

/// Eesen's own steps from end to end: log alpha, log beta, E in logarithms, then back through the softmax.
TEST(Eesen, GivesTheGradientInTwoSteps) {
  using Log = LogNumber<double>;
  tests::for_each_feasible([](const Lattice& x, const auto& exact_alpha, const auto& exact_beta, const Rational& p) {
    const Matrix<Log> y = weights<Log>(map(x.y, tests::to_double));
    const Matrix<double> log_y = map(y, [](const Log& weight) { return weight.log(); });
    const Matrix<Log> forward = map(eesen_alpha(log_y, x.expanded), Log::from_log);
    const Matrix<Log> backward = map(eesen_beta(log_y, x.expanded), Log::from_log);
    const Matrix<double> got = gradient_wrt_logits_two_step(y, x.expanded, forward, backward, alpha_total(forward));
    const Matrix<Rational> want = gradient_wrt_logits(x.y, x.expanded, exact_alpha, exact_beta, p);
    for (std::int64_t t = 0; t < x.T; ++t)
      for (std::int64_t k = 0; k < tests::class_count; ++k)
        EXPECT_NEAR(got(t, k), tests::to_double(want(t, k)), tests::rounding) << "t=" << t << " k=" << k;
  });
}

}  // namespace
}  // namespace assay::reference
