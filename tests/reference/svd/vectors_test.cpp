#include "reference/svd/vectors.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "reference/number/big_float.h"

namespace assay::reference {
namespace {

TEST(Vectors, HaveNormsAndCosinesOverTheWholeRange) {
  for (const double size : {1e-320, 1e-200, 1.0, 1e300}) {
    const std::vector<double> x{3 * size, 0, -4 * size}, y{0, size, -size};
    const double norm_x = norm<double>(x), norm_y = norm<double>(y);
    EXPECT_NEAR(norm_x / size, 5, size < 1e-300 ? 2e-3 : 1e-15);
    EXPECT_NEAR(cosine<double>(x, norm_x, y, norm_y), std::sqrt(0.32), size < 1e-300 ? 2e-3 : 1e-15);
    EXPECT_NEAR(hypotenuse(3 * size, 4 * size) / size, 5, size < 1e-300 ? 2e-3 : 1e-15);
  }
  EXPECT_EQ(norm<double>(std::vector<double>(3)), 0);
}

TEST(Vectors, AreAddedAndMultiplied) {
  const std::vector<BigFloat> x{1, -2, 3};
  std::vector<BigFloat> y{1, 1, 1};
  EXPECT_EQ(dot<BigFloat>(x, y), BigFloat(2));
  EXPECT_EQ(norm<BigFloat>(std::vector<BigFloat>{3, 4}), BigFloat(5));
  add_multiple<BigFloat>(y, 2, x);
  EXPECT_EQ(y, (std::vector<BigFloat>{3, -3, 7}));
  EXPECT_EQ(largest_magnitude<BigFloat>(x), BigFloat(3));
  EXPECT_EQ(largest_magnitude<BigFloat>({}), BigFloat(0));
  EXPECT_TRUE(std::isnan(magnitude(std::numeric_limits<double>::quiet_NaN())));
}

}  // namespace
}  // namespace assay::reference
