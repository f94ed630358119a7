#include "reference/number/semiring.h"

#include "reference/ctc/repeats.h"
#include "tests/reference/ctc/lattices.h"

namespace assay::reference {
namespace {

TEST(Boolean, IsOrAndAnd) {
  for (const bool a : {false, true})
    for (const bool b : {false, true}) {
      EXPECT_EQ(Boolean(a) += Boolean(b), Boolean(a || b));
      EXPECT_EQ(Boolean(a) *= Boolean(b), Boolean(a && b));
    }
  EXPECT_EQ(Boolean(), Boolean(0));
}

TEST(Boolean, SaysWhetherThereIsAnAlignment) {
  tests::for_each_lattice([](const tests::Lattice& x) {
    const Matrix<Boolean> y(x.T, tests::class_count, Boolean(true));
    EXPECT_EQ(static_cast<bool>(alpha_total(alpha(y, x.expanded))), feasible(x.T, x.labels));
  });
}

}  // namespace
}  // namespace assay::reference
