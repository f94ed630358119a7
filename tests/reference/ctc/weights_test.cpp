// Numbers as weights and back; and the recursions over such weights, in logarithms and with extended range, against
// exact rationals.
#include "reference/ctc/weights.h"

#include <cmath>

#include "reference/ctc/posterior.h"
#include "reference/number/extended.h"
#include "reference/number/log_number.h"
#include "tests/reference/ctc/lattices.h"

namespace assay::reference {
namespace {

using tests::expect_rounded;
using tests::Lattice;

TEST(Weights, AreTheNumbersAndBack) {
  Matrix<double> x(2, 2, 0.375);
  x(1, 0) = 0;
  EXPECT_EQ(values(weights<Extended<double>>(x)), x);
  EXPECT_EQ(values(x), x);
  EXPECT_EQ(weights<LogNumber<double>>(x)(0, 1).log(), std::log(0.375));
  EXPECT_TRUE(weights<LogNumber<double>>(x)(1, 0).is_zero());
}

template <class Weight>
void expect_recursions_over(const Lattice& x) {
  const Matrix<Weight> y = weights<Weight>(map(x.y, tests::to_double));
  expect_rounded(values(alpha(y, x.expanded)), alpha(x.y, x.expanded));
  expect_rounded(values(beta_including_y(y, x.expanded)), beta_including_y(x.y, x.expanded));
  expect_rounded(values(beta_excluding_y(y, x.expanded)), beta_excluding_y(x.y, x.expanded));
  const Rational p = alpha_total(alpha(x.y, x.expanded));
  if (p == 0) return;
  const Matrix<Weight> forward = alpha(y, x.expanded);
  expect_rounded(values(posterior(y, x.expanded, forward, alpha_total(forward))),
                 posterior(x.y, x.expanded, alpha(x.y, x.expanded), p));
  EXPECT_NEAR(loss(alpha_total(forward)), -std::log(tests::to_double(p)), tests::rounding);
}

TEST(LogNumber, CarriesTheRecursions) {
  tests::for_each_lattice(expect_recursions_over<LogNumber<double>>);
}

TEST(Extended, CarriesTheRecursions) {
  tests::for_each_lattice(expect_recursions_over<Extended<double>>);
}

}  // namespace
}  // namespace assay::reference
