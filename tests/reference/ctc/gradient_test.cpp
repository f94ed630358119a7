// The gradient from alpha and beta is that of enumeration, in exact rationals.
#include "reference/ctc/gradient.h"

#include "reference/ctc/enumeration.h"
#include "reference/ctc/gradient_two_step.h"
#include "reference/ctc/posterior.h"
#include "tests/reference/ctc/lattices.h"

namespace assay::reference {
namespace {

using tests::for_each_feasible;
using tests::Lattice;

TEST(GradientWrtLogits, IsThatOfEnumeration) {
  for_each_feasible([](const Lattice& x, const auto& forward, const auto& backward, const Rational& p) {
    EXPECT_TRUE(gradient_wrt_logits(x.y, x.expanded, forward, backward, p) ==
                gradient_wrt_logits_by_enumeration(x.y, x.labels, x.blank));
  });
}

TEST(GradientWrtOutputs, IsThatOfEnumeration) {
  for_each_feasible([](const Lattice& x, const auto& forward, const auto& backward, const Rational& p) {
    const Matrix<Rational> enumerated = gradient_wrt_outputs_by_enumeration(x.y, x.labels, x.blank);
    EXPECT_TRUE(gradient_wrt_outputs(x.y, x.expanded, forward, backward, p) == enumerated);
  });
}

TEST(GradientWrtLogProbs, IsTheOutputTimesTheGradientWrtIt) {
  for_each_feasible([](const Lattice& x, const auto& forward, const auto& backward, const Rational& p) {
    Matrix<Rational> expected = gradient_wrt_outputs_by_enumeration(x.y, x.labels, x.blank);
    for (std::int64_t t = 0; t < x.T; ++t)
      for (std::int64_t k = 0; k < tests::class_count; ++k) expected(t, k) *= x.y(t, k);
    EXPECT_TRUE(gradient_wrt_log_probs(x.y, x.expanded, forward, backward, p) == expected);
  });
}

/// An output of exactly 0 where other paths avoid it: formulas that divide by y must leave it out.
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
      for (std::int64_t k = 0; k < tests::class_count; ++k)
        EXPECT_EQ(Rational(x.y(t, k) - gamma(t, k)), enumerated(t, k));
  });
}

}  // namespace
}  // namespace assay::reference
