// Forward and backward variables against the definition, in exact rationals: equal means ==.
#include "reference/ctc/alpha.h"
#include "reference/ctc/beta.h"

#include <gtest/gtest.h>

#include "reference/ctc/enumeration.h"
#include "reference/ctc/invariants.h"
#include "tests/reference/ctc/lattices.h"

namespace assay::reference {
namespace {

using tests::Lattice;

TEST(AlphaTotal, IsTheSumOverAllAlignments) {
  tests::for_each_lattice([](const Lattice& x) {
    EXPECT_EQ(alpha_total(alpha(x.y, x.expanded)), probability_by_enumeration(x.y, x.labels, x.blank));
  });
}

TEST(BetaIncludingY, StartsFromAllAlignments) {
  tests::for_each_lattice([](const Lattice& x) {
    if (x.T == 0) return;
    const Matrix<Rational> beta = beta_including_y(x.y, x.expanded);
    Rational total = beta(0, 0);
    if (beta.cols() > 1) total += beta(0, 1);
    EXPECT_EQ(total, probability_by_enumeration(x.y, x.labels, x.blank));
  });
}

TEST(BetaExcludingY, TimesTheOutputIsBetaIncludingY) {
  tests::for_each_lattice([](const Lattice& x) {
    const Matrix<Rational> excluding = beta_excluding_y(x.y, x.expanded), including = beta_including_y(x.y, x.expanded);
    for (std::int64_t t = 0; t < x.T; ++t)
      for (std::int64_t s = 0; s < excluding.cols(); ++s)
        EXPECT_EQ(Rational(excluding(t, s) * x.y(t, x.expanded[static_cast<std::size_t>(s)])), including(t, s));
  });
}

TEST(InvariantIncludingY, HoldsAtEveryFrame) {
  tests::for_each_lattice([](const Lattice& x) {
    const Matrix<Rational> forward = alpha(x.y, x.expanded), backward = beta_including_y(x.y, x.expanded);
    const Rational p = probability_by_enumeration(x.y, x.labels, x.blank);
    for (std::int64_t t = 0; t < x.T; ++t)
      EXPECT_EQ(invariant_including_y(forward, backward, x.y, x.expanded, t), p) << "t=" << t;
  });
}

TEST(InvariantExcludingY, HoldsAtEveryFrame) {
  tests::for_each_lattice([](const Lattice& x) {
    const Matrix<Rational> forward = alpha(x.y, x.expanded), backward = beta_excluding_y(x.y, x.expanded);
    const Rational p = probability_by_enumeration(x.y, x.labels, x.blank);
    for (std::int64_t t = 0; t < x.T; ++t) EXPECT_EQ(invariant_excluding_y(forward, backward, t), p) << "t=" << t;
  });
}

/// alpha_t(s) is the sum over the beginnings of alignments that end in s at t, counted only where l can be completed.
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

}  // namespace
}  // namespace assay::reference
