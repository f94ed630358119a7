#include "reference/svd/gaussian.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace assay::reference {
namespace {

TEST(RandomBits, AreThoseOfSplitMix64) {
  const std::uint64_t published[] = {6457827717110365317U, 3203168211198807973U, 9817491932198370423U,
                                     4593380528125082431U, 16408922859458223821U};
  for (std::uint64_t n = 0; n < 5; ++n) EXPECT_EQ(random_bits(1234567, n), published[n]);
}

TEST(StandardNormal, HasTheMomentsOfItsName) {
  const int n = 200000;
  double sum = 0, squares = 0, fourth = 0, largest = 0, product = 0;
  for (int k = 0; k < n; ++k) {
    const double x = standard_normal(7, static_cast<std::uint64_t>(k));
    sum += x, squares += x * x, fourth += x * x * x * x;
    product += x * standard_normal(7, static_cast<std::uint64_t>(k) + 1);
    largest = std::max(largest, std::abs(x));
    EXPECT_EQ(x, static_cast<double>(static_cast<float>(x)));
  }
  EXPECT_NEAR(sum / n, 0, 0.012);  // five standard deviations
  EXPECT_NEAR(squares / n, 1, 0.016);
  EXPECT_NEAR(fourth / n, 3, 0.11);
  EXPECT_NEAR(product / n, 0, 0.012);
  EXPECT_TRUE(largest > 4 && largest < 8.6) << largest;
}

TEST(GaussianMatrix, IsRowMajorAndOfItsSeed) {
  const Matrix<double> Omega = gaussian_matrix(3, 4, 3);
  EXPECT_EQ(Omega(2, 1), standard_normal(3, 7));
  EXPECT_EQ(gaussian_matrix(3, 2, 6)(1, 1), Omega(2, 1));
  EXPECT_NE(gaussian_matrix(4, 4, 3)(2, 1), Omega(2, 1));
}

}  // namespace
}  // namespace assay::reference
