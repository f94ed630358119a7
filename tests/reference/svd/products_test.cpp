#include "reference/svd/products.h"

#include "tests/reference/svd/matrices.h"

namespace assay::reference {
namespace {

TEST(Products, AreThoseWorkedByHand) {
  const auto A = tests::matrix_from<int>(2, 3, [](auto i, auto j) { return 3 * i + j; });  // 0 1 2, 3 4 5
  Matrix<int> square = product(A, transposed(A));
  EXPECT_EQ(square, tests::matrix_from<int>(2, 2, [](auto i, auto j) {
              return i + j == 0 ? 5 : i + j == 1 ? 14 : 50;
            }));
  EXPECT_EQ(product(identity<int>(2), A), A);
  add(square, identity<int>(2));
  EXPECT_EQ(square(0, 0), 6);
  EXPECT_EQ(square(0, 1), 14);
  EXPECT_EQ(with_columns_scaled(A, {1, 10, 100})(1, 2), 500);
  EXPECT_EQ(reconstruct(SvdFactors<int>{identity<int>(2), {1, 2}, A})(1, 1), 8);
}

}  // namespace
}  // namespace assay::reference
