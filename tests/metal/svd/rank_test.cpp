// Matrices without full rank: null spaces are completed, whatever the method.
#include <gtest/gtest.h>

#include "tests/metal/svd/case.h"

namespace assay::metal {
namespace {

template <class Real>
class SvdRank : public testing::Test {};
using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(SvdRank, Types);

const std::vector<std::pair<std::int64_t, std::int64_t>>& sizes() {
  static const std::vector<std::pair<std::int64_t, std::int64_t>> all = {
      {1, 1}, {2, 2}, {8, 8}, {5, 3}, {3, 5}, {13, 13}, {16, 16}, {33, 33}, {64, 64}, {40, 12}, {30, 50}};
  return all;
}

template <class Real, class Make>
void expect_by_all_methods(const Make& make) {
  for (const auto& [M, N] : sizes())
    for (const SvdMethod method : {SvdMethod::automatic, SvdMethod::lanes, SvdMethod::preconditioned, SvdMethod::direct,
                                   SvdMethod::gram, SvdMethod::bidiagonal}) {
      SCOPED_TRACE(testing::Message() << M << " x " << N << " " << name_of(method));
      const SvdCase<Real> given = make(M, N);
      const double bound = method == SvdMethod::bidiagonal ? 8.0 : 4.0;  // two reflections for each column
      ASSERT_NO_FATAL_FAILURE(expect_decomposition(given, decomposed(given, {.method = method}), bound));
    }
}

TYPED_TEST(SvdRank, Zero) {
  expect_by_all_methods<TypeParam>([](std::int64_t M, std::int64_t N) { return SvdCase<TypeParam>(2, M, N); });
  const SvdCase<TypeParam> given(1, 6, 4);
  for (const TypeParam s : decomposed(given).S) EXPECT_EQ(s, 0);
}

TYPED_TEST(SvdRank, One) {
  expect_by_all_methods<TypeParam>([](std::int64_t M, std::int64_t N) {
    return SvdCase<TypeParam>(2, M, N).fill([](std::int64_t b, std::int64_t i, std::int64_t j) {
      return static_cast<double>((b + 2 + i % 5) * (1 - j % 3));
    });
  });
}

TYPED_TEST(SvdRank, EqualColumns) {
  expect_by_all_methods<TypeParam>([](std::int64_t M, std::int64_t N) {
    SvdCase<TypeParam> given = gaussian<TypeParam>(2, M, N);
    for (std::int64_t b = 0; b < 2; ++b)
      for (std::int64_t i = 0; i < M; ++i)
        for (std::int64_t j = 1; j < N; j += 2) given.at(b, i, j) = given.at(b, i, j - 1);
    return given;
  });
}

TYPED_TEST(SvdRank, ColumnsAndRowsOfZeros) {
  expect_by_all_methods<TypeParam>([](std::int64_t M, std::int64_t N) {
    SvdCase<TypeParam> given = gaussian<TypeParam>(2, M, N);
    for (std::int64_t b = 0; b < 2; ++b)
      for (std::int64_t i = 0; i < M; ++i)
        for (std::int64_t j = 0; j < N; ++j)
          if (j % 3 == 1 || i % 4 == 2) given.at(b, i, j) = 0;
    return given;
  });
}

// Many columns in a space of two dimensions.
TYPED_TEST(SvdRank, TwoRowsThatAreNotZero) {
  expect_by_all_methods<TypeParam>([](std::int64_t M, std::int64_t N) {
    SvdCase<TypeParam> given = gaussian<TypeParam>(2, M, N);
    for (std::int64_t b = 0; b < 2; ++b)
      for (std::int64_t i = 2; i < M; ++i)
        for (std::int64_t j = 0; j < N; ++j) given.at(b, i, j) = 0;
    return given;
  });
}

TYPED_TEST(SvdRank, ProductsOfThinMatrices) {
  expect_by_all_methods<TypeParam>([](std::int64_t M, std::int64_t N) {
    const SvdCase<double> left = gaussian<double>(1, M, 3, 1.0, 4), right = gaussian<double>(1, 3, N, 1.0, 5);
    return SvdCase<TypeParam>(1, M, N).fill([&](std::int64_t, std::int64_t i, std::int64_t j) {
      return left.get(0, i, 0) * right.get(0, 0, j) + left.get(0, i, 1) * right.get(0, 1, j) +
             left.get(0, i, 2) * right.get(0, 2, j);
    });
  });
}

TYPED_TEST(SvdRank, EqualSingularValues) {
  expect_by_all_methods<TypeParam>([](std::int64_t M, std::int64_t N) {
    return SvdCase<TypeParam>(1, M, N).fill(
        [](std::int64_t, std::int64_t i, std::int64_t j) { return i == j ? 3.0 : 0.0; });
  });
  const SvdCase<TypeParam> given = SvdCase<TypeParam>(1, 4, 4).fill(
      [](std::int64_t, std::int64_t i, std::int64_t j) { return (i & j) == 1 || (i & j) == 2 ? -1.0 : 1.0; });
  for (const TypeParam s : decomposed(given).S) EXPECT_NEAR(static_cast<double>(s), 2.0, 8 * unit_roundoff<TypeParam>);
}

}  // namespace
}  // namespace assay::metal
