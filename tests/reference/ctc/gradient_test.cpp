// The gradient by three roads, equal as fractions: enumeration, two steps, directly. And the posterior.
#include "reference/ctc/gradient.h"

#include <gtest/gtest.h>

#include "reference/ctc/alpha.h"
#include "reference/ctc/scaled.h"
#include "reference/ctc/beta.h"
#include "reference/ctc/enumeration.h"
#include "reference/ctc/gradient_two_step.h"
#include "reference/ctc/repeats.h"
#include "reference/ctc/scaled.h"
#include "reference/ctc/posterior.h"
#include "tests/reference/ctc/lattices.h"

namespace assay::reference {
namespace {

using tests::Lattice;

/// Calls `test(lattice, alpha, beta including y, p)` with every lattice that has an alignment.
template <class Test>
void for_each_feasible(Test test) {
  tests::for_each_lattice([&](const Lattice& x) {
    if (!feasible(x.T, x.labels)) return;
    const Matrix<Rational> forward = alpha(x.y, x.expanded);
    test(x, forward, beta_including_y(x.y, x.expanded), alpha_total(forward));
  });
}

TEST(GradientWrtLogits, IsThatOfEnumeration) {
  for_each_feasible([](const Lattice& x, const auto& forward, const auto& backward, const Rational& p) {
    EXPECT_TRUE(gradient_wrt_logits(x.y, x.expanded, forward, backward, p) ==
                gradient_wrt_logits_by_enumeration(x.y, x.labels, x.blank));
  });
}

TEST(GradientWrtLogitsTwoStep, IsThatOfEnumeration) {
  for_each_feasible([](const Lattice& x, const auto& forward, const auto& backward, const Rational& p) {
    EXPECT_TRUE(gradient_wrt_logits_two_step(x.y, x.expanded, forward, backward, p) ==
                gradient_wrt_logits_by_enumeration(x.y, x.labels, x.blank));
  });
}

TEST(GradientWrtLogitsScaled, IsThatOfEnumeration) {
  for_each_feasible([](const Lattice& x, const auto&, const auto&, const Rational&) {
    const auto forward = alpha_scaled(x.y, x.expanded), backward = beta_scaled(x.y, x.expanded);
    EXPECT_TRUE(gradient_wrt_logits_scaled(x.y, x.expanded, forward.values, backward.values) ==
                gradient_wrt_logits_by_enumeration(x.y, x.labels, x.blank));
  });
}

TEST(GradientWrtOutputs, IsThatOfEnumeration) {
  for_each_feasible([](const Lattice& x, const auto& forward, const auto& backward, const Rational& p) {
    const Matrix<Rational> enumerated = gradient_wrt_outputs_by_enumeration(x.y, x.labels, x.blank);
    EXPECT_TRUE(gradient_wrt_outputs(x.y, x.expanded, forward, backward, p) == enumerated);
    EXPECT_TRUE(two_step_output_error(x.y, x.expanded, forward, backward, p) == enumerated);
  });
}

TEST(GradientWrtLogProbs, IsTheOutputTimesTheGradientWrtIt) {
  for_each_feasible([](const Lattice& x, const auto& forward, const auto& backward, const Rational& p) {
    Matrix<Rational> expected = gradient_wrt_outputs_by_enumeration(x.y, x.labels, x.blank);
    for (std::int64_t t = 0; t < x.T; ++t)
      for (std::int64_t k = 0; k < tests::kClasses; ++k) expected(t, k) *= x.y(t, k);
    EXPECT_TRUE(gradient_wrt_log_probs(x.y, x.expanded, forward, backward, p) == expected);
  });
}

TEST(Posterior, IsMinusTheGradientWrtLogProbs) {
  for_each_feasible([](const Lattice& x, const auto& forward, const auto& backward, const Rational& p) {
    const Matrix<Rational> gradient = gradient_wrt_log_probs(x.y, x.expanded, forward, backward, p);
    const Matrix<Rational> gamma = posterior(x.y, x.expanded, forward, p);
    for (std::int64_t t = 0; t < x.T; ++t) {
      Rational sum = 0;
      for (std::int64_t k = 0; k < tests::kClasses; ++k) {
        EXPECT_EQ(gamma(t, k), -gradient(t, k));
        sum += gamma(t, k);
      }
      EXPECT_EQ(sum, 1);
    }
  });
}

/// Outputs of exactly 0 beside paths that avoid them: the roads that divide by y must not.
TEST(GradientWrtLogits, StandsOutputsOfZero) {
  for_each_feasible([](const Lattice& lattice, const auto&, const auto&, const Rational&) {
    if (lattice.T == 0) return;
    Lattice x = lattice;
    x.y(x.T - 1, x.blank) = 0;
    const Matrix<Rational> forward = alpha(x.y, x.expanded), backward = beta_including_y(x.y, x.expanded);
    const Rational p = alpha_total(forward);
    if (p == 0) return;
    const auto enumerated = gradient_wrt_logits_by_enumeration(x.y, x.labels, x.blank);
    EXPECT_TRUE(gradient_wrt_logits(x.y, x.expanded, forward, backward, p) == enumerated);
    EXPECT_TRUE(gradient_wrt_logits_two_step(x.y, x.expanded, forward, backward, p) == enumerated);
    const Matrix<Rational> gamma = posterior(x.y, x.expanded, forward, p);
    EXPECT_EQ(gamma(x.T - 1, x.blank), 0);
    for (std::int64_t t = 0; t < x.T; ++t)
      for (std::int64_t k = 0; k < tests::kClasses; ++k) EXPECT_EQ(Rational(x.y(t, k) - gamma(t, k)), enumerated(t, k));
  });
}

}  // namespace
}  // namespace assay::reference
