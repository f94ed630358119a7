// Vectors that are nearly dependent, dependent or 0 become orthonormal.
#include "reference/svd/orthonormal.h"

#include <cstdint>

#include "reference/number/big_float.h"
#include "reference/svd/products.h"
#include "tests/reference/svd/matrices.h"

namespace assay::reference {
namespace {

template <class Number>
void expect_orthonormal(const Matrix<Number>& basis) {
  const Number bound = Number(8 * basis.cols()) * NumberTraits<Number>::unit_roundoff();
  EXPECT_LE(tests::distance(product(basis, transposed(basis)), identity<Number>(basis.rows())), bound);
}

TEST(MakeOrthonormal, NeedsTwoPassesForVectorsThatAreNearlyDependent) {
  const Matrix<double> noise = tests::random_matrix<double>(4, 6);
  for (const double size : {1e-4, 1e-8, 1e-12, 1e-15}) {
    Matrix<double> basis = tests::matrix_from<double>(
        4, 6, [&](auto i, auto j) { return static_cast<double>(j + 1) + (i == 0 ? 0 : size * noise(i, j)); });
    make_orthonormal(basis);
    expect_orthonormal(basis);
  }
}

TEST(MakeOrthonormal, KeepsTheSpansOfTheFirst) {
  const Matrix<BigFloat> rows = tests::random_matrix<BigFloat>(3, 5);
  Matrix<BigFloat> basis = rows;
  make_orthonormal(basis);
  expect_orthonormal(basis);
  for (std::int64_t k = 0; k < 3; ++k) {
    std::vector<BigFloat> left(rows.row(k).begin(), rows.row(k).end());
    EXPECT_LT(make_orthogonal<BigFloat>(left, basis, k + 1), BigFloat(1e-48)) << k;
  }
}

TEST(MakeOrthonormal, ReplacesVectorsThatDependOnOthers) {
  Matrix<double> basis = tests::matrix_from<double>(5, 5, [](auto i, auto j) { return (i + 1) * (j - 1); });
  make_orthonormal(basis);
  expect_orthonormal(basis);
  Matrix<double> none(4, 4);
  make_orthonormal(none);
  expect_orthonormal(none);
}

TEST(CompleteOrthonormal, LeavesThoseThatThereAre) {
  Matrix<double> basis = tests::random_matrix<double>(6, 7);
  make_orthonormal(basis);
  Matrix<double> completed = basis;
  complete_orthonormal(completed, 2);
  expect_orthonormal(completed);
  for (std::int64_t j = 0; j < 7; ++j)
    for (std::int64_t i = 0; i < 2; ++i) EXPECT_EQ(completed(i, j), basis(i, j));
}

}  // namespace
}  // namespace assay::reference
