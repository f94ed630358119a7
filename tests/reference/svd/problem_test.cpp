#include "reference/svd/problem.h"

#include <gtest/gtest.h>

namespace assay::reference {
namespace {

TEST(SvdProblem, HasAsManySingularValuesAsItsShorterSide) {
  EXPECT_EQ((SvdProblem<float>{1, 3, 7, {}}.K()), 3);
  EXPECT_EQ((SvdProblem<float>{1, 7, 3, {}}.K()), 3);
}

TEST(SingularValue, IsWideEnoughForSixteenBits) {
  struct Half {};
  EXPECT_TRUE((std::is_same_v<SingularValue<double>, double>));
  EXPECT_TRUE((std::is_same_v<SingularValue<float>, float> && std::is_same_v<SingularValue<Half>, float>));
}

}  // namespace
}  // namespace assay::reference
