#include "reference/ctc/gradient_two_step.h"

#include "reference/ctc/enumeration.h"
#include "tests/reference/ctc/lattices.h"

namespace assay::reference {
namespace {

using tests::for_each_feasible;
using tests::Lattice;

TEST(GradientWrtLogitsTwoStep, IsThatOfEnumeration) {
  for_each_feasible([](const Lattice& x, const auto& forward, const auto& backward, const Rational& p) {
    EXPECT_TRUE(gradient_wrt_logits_two_step(x.y, x.expanded, forward, backward, p) ==
                gradient_wrt_logits_by_enumeration(x.y, x.labels, x.blank));
  });
}

TEST(TwoStepOutputError, IsThatOfEnumeration) {
  for_each_feasible([](const Lattice& x, const auto& forward, const auto& backward, const Rational& p) {
    EXPECT_TRUE(two_step_output_error(x.y, x.expanded, forward, backward, p) ==
                gradient_wrt_outputs_by_enumeration(x.y, x.labels, x.blank));
  });
}

}  // namespace
}  // namespace assay::reference
