// Both definitions of beta, and their invariants, against enumeration in exact rationals.
#include "reference/ctc/beta.h"

#include "reference/ctc/enumeration.h"
#include "tests/reference/ctc/lattices.h"

namespace assay::reference {
namespace {

using tests::Lattice;

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

}  // namespace
}  // namespace assay::reference
