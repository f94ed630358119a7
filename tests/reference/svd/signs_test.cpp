#include "reference/svd/signs.h"

#include "tests/reference/svd/matrices.h"

namespace assay::reference {
namespace {

TEST(MakeSignsCanonical, TakesTheFirstOfElementsThatTie) {
  SvdFactors<double> factors{
      tests::matrix_from<double>(3, 1, [](auto i, auto) { return i == 0   ? 0.1
                                                                 : i == 1 ? -0.7
                                                                          : 0.7; }),
      {1},
      tests::matrix_from<double>(1, 1, [](auto, auto) { return 1; })};
  make_signs_canonical(factors);
  EXPECT_EQ(factors.U(1, 0), 0.7);
  EXPECT_EQ(factors.U(2, 0), -0.7);
  EXPECT_EQ(factors.Vh(0, 0), -1);
  factors.U(2, 0) = -0.7001;  // larger, but no larger than ties allow
  make_signs_canonical(factors, 0.01);
  EXPECT_EQ(factors.U(1, 0), 0.7);
  make_signs_canonical(factors);
  EXPECT_EQ(factors.U(1, 0), -0.7);
}

}  // namespace
}  // namespace assay::reference
