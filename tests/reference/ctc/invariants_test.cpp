// Every frame of alpha and beta adds up to p(l|x) of enumeration, in exact rationals.
#include "reference/ctc/invariants.h"

#include <gtest/gtest.h>

#include "reference/ctc/alpha.h"
#include "reference/ctc/beta.h"
#include "reference/ctc/enumeration.h"
#include "tests/reference/ctc/lattices.h"

namespace assay::reference {
namespace {

using tests::Lattice;

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
