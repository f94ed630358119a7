#include "reference/ctc/posterior.h"

#include "reference/ctc/gradient.h"
#include "tests/reference/ctc/lattices.h"

namespace assay::reference {
namespace {

using tests::for_each_feasible;
using tests::Lattice;

TEST(Posterior, IsMinusTheGradientWrtLogProbs) {
  for_each_feasible([](const Lattice& x, const auto& forward, const auto& backward, const Rational& p) {
    const Matrix<Rational> gradient = gradient_wrt_log_probs(x.y, x.expanded, forward, backward, p);
    const Matrix<Rational> gamma = posterior(x.y, x.expanded, forward, p);
    for (std::int64_t t = 0; t < x.T; ++t) {
      Rational sum = 0;
      for (std::int64_t k = 0; k < tests::class_count; ++k) {
        EXPECT_EQ(gamma(t, k), -gradient(t, k));
        sum += gamma(t, k);
      }
      EXPECT_EQ(sum, 1);
    }
  });
}

}  // namespace
}  // namespace assay::reference
