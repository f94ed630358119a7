// The forward variable against the definition, in exact rationals.
#include "reference/ctc/alpha.h"

#include <cmath>
#include <limits>

#include "reference/ctc/enumeration.h"
#include "reference/number/extended.h"
#include "reference/number/log_number.h"
#include "tests/reference/ctc/lattices.h"

namespace assay::reference {
namespace {

using tests::Lattice;

TEST(AlphaTotal, IsTheSumOverAllAlignments) {
  tests::for_each_lattice([](const Lattice& x) {
    EXPECT_EQ(alpha_total(alpha(x.y, x.expanded)), probability_by_enumeration(x.y, x.labels, x.blank));
  });
}

TEST(Alpha, IsZeroWhereTheEndIsOutOfReach) {
  tests::for_each_lattice([](const Lattice& x) {
    const Matrix<Rational> forward = alpha(x.y, x.expanded);
    for (std::int64_t t = 0; t < x.T; ++t)
      for (std::int64_t s = 0; s < forward.cols(); ++s)
        if (s < forward.cols() - 2 * (x.T - t) || s > 2 * t + 1) {
          EXPECT_EQ(forward(t, s), 0) << "t=" << t << " s=" << s;
        }
  });
}

TEST(LiveAlpha, HoldsTheLiveStatesOfAlpha) {
  tests::for_each_lattice([](const Lattice& x) {
    const Matrix<Rational> all = alpha(x.y, x.expanded);
    const LiveTable<Rational> live = live_alpha(x.y, x.expanded);
    ASSERT_EQ(live.rows(), all.rows());
    ASSERT_EQ(live.cols(), all.cols());
    for (std::int64_t t = 0; t < x.T; ++t)
      for (std::int64_t s = 0; s < all.cols(); ++s) EXPECT_EQ(live(t, s), all(t, s)) << "t=" << t << " s=" << s;
    EXPECT_EQ(alpha_total(live), alpha_total(all));
  });
}

TEST(Alpha, FollowsTheWorkedExample) {  // l = a, T = 2, y = (blank, a) = (1/4, 3/4), (1/2, 1/2)
  Matrix<Rational> y(2, 2);
  y(0, 0) = Rational(1, 4), y(0, 1) = Rational(3, 4), y(1, 0) = y(1, 1) = Rational(1, 2);
  const std::vector<std::int64_t> labels{1}, expanded = expand(labels, 0);
  const Matrix<Rational> forward = alpha(y, expanded);
  EXPECT_EQ(forward(0, 0), Rational(1, 4));
  EXPECT_EQ(forward(0, 1), Rational(3, 4));
  EXPECT_EQ(forward(1, 1), Rational(1, 2));
  EXPECT_EQ(forward(1, 2), Rational(3, 8));
  EXPECT_EQ(alpha_total(forward), Rational(7, 8));
}

template <class Weight>
class Loss : public testing::Test {};
using Weights = testing::Types<double, LogNumber<double>, Extended<double>>;
TYPED_TEST_SUITE(Loss, Weights);

TYPED_TEST(Loss, IsMinusTheLogarithmAndInfiniteOfZero) {
  EXPECT_NEAR(loss(TypeParam(3)), -std::log(3.0), 1e-15);
  EXPECT_EQ(loss(TypeParam(1)), 0);
  EXPECT_EQ(loss(TypeParam(0)), std::numeric_limits<double>::infinity());
}

}  // namespace
}  // namespace assay::reference
