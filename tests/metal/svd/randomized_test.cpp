// The randomized decomposition: that of the reference with the same numbers, exact where the rank allows it.
#include <gtest/gtest.h>

#include "reference/svd/randomized.h"
#include "tests/metal/svd/case.h"
#include "tests/refusal.h"

namespace assay::metal {
namespace {

using reference::RandomizedSvd;

template <class Real>
SvdResult<Real> randomized(const SvdCase<Real>& given, const RandomizedSvd& how, int threads = 1, bool vectors = true) {
  SvdResult<Real> result(given, how.rank, vectors);
  randomized_svd(given.problem(), how, result.output(), {threads});
  return result;
}

/// Singular values 1, 1/2, 1/4, ..., in random directions.
template <class Real>
SvdCase<Real> falling(std::int64_t B, std::int64_t M, std::int64_t N) {
  const SvdResult<double> left = decomposed(gaussian<double>(1, M, M, 1.0, 7));
  const SvdResult<double> right = decomposed(gaussian<double>(1, N, N, 1.0, 8));
  return SvdCase<Real>(B, M, N).fill([&](std::int64_t b, std::int64_t i, std::int64_t j) {
    double sum = 0.0;
    for (std::int64_t r = 0; r < std::min(M, N); ++r)
      sum += left.U[static_cast<std::size_t>(i * M + r)] * std::ldexp(1.0, -static_cast<int>(r)) *
             right.U[static_cast<std::size_t>(j * N + r)];
    return static_cast<double>(b + 1) * sum;
  });
}

template <class Real>
void expect_reference(std::int64_t M, std::int64_t N, const RandomizedSvd& how, double bound) {
  SCOPED_TRACE(testing::Message() << M << " x " << N << " rank " << how.rank);
  const SvdCase<Real> given = falling<Real>(2, M, N);
  const SvdResult<Real> result = randomized(given, how);
  for (std::int64_t b = 0; b < 2; ++b) {
    reference::Matrix<double> A(M, N);
    for (std::int64_t i = 0; i < M; ++i)
      for (std::int64_t j = 0; j < N; ++j) A(i, j) = given.get(b, i, j);
    const auto expected = reference::randomized_svd(A, how);
    for (std::int64_t r = 0; r < how.rank; ++r) {
      const double gap = expected.S[static_cast<std::size_t>(r)] / expected.S[0];
      ASSERT_NEAR(static_cast<double>(result.S[static_cast<std::size_t>(b * how.rank + r)]) / expected.S[0], gap,
                  bound);
      for (std::int64_t i = 0; i < M; ++i)
        ASSERT_NEAR(static_cast<double>(result.U[static_cast<std::size_t>((b * M + i) * how.rank + r)]),
                    expected.U(i, r), bound / gap);
      for (std::int64_t j = 0; j < N; ++j)
        ASSERT_NEAR(static_cast<double>(result.Vh[static_cast<std::size_t>((b * how.rank + r) * N + j)]),
                    expected.Vh(r, j), bound / gap);
    }
  }
}

template <class Real>
class SvdRandomized : public testing::Test {};
using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(SvdRandomized, Types);

TYPED_TEST(SvdRandomized, IsThatOfTheReference) {
  const double bound = 300 * unit_roundoff<TypeParam>;
  expect_reference<TypeParam>(40, 30, {.rank = 5, .oversampling = 4, .power_iterations = 2, .seed = 3}, bound);
  expect_reference<TypeParam>(30, 40, {.rank = 5, .oversampling = 0, .power_iterations = 0, .seed = 4}, bound);
  expect_reference<TypeParam>(12, 12, {.rank = 7, .oversampling = 99, .power_iterations = 1, .seed = 5}, bound);
  expect_reference<TypeParam>(3, 1, {.rank = 1, .oversampling = 1, .power_iterations = 1, .seed = 6}, bound);
}

TYPED_TEST(SvdRandomized, OfALowRankIsExact) {
  const SvdCase<double> left = gaussian<double>(1, 60, 3, 1.0, 4), right = gaussian<double>(1, 3, 45, 1.0, 5);
  const SvdCase<TypeParam> given =
      SvdCase<TypeParam>(1, 60, 45).fill([&](std::int64_t, std::int64_t i, std::int64_t j) {
        return left.get(0, i, 0) * right.get(0, 0, j) + left.get(0, i, 1) * right.get(0, 1, j) +
               left.get(0, i, 2) * right.get(0, 2, j);
      });
  const SvdResult<TypeParam> result = randomized(given, {.rank = 3, .oversampling = 5});
  const std::vector<long double> truth = true_values(given);
  for (std::size_t r = 0; r < 3; ++r)
    EXPECT_LE(std::abs(static_cast<double>(static_cast<long double>(result.S[r]) - truth[r])),
              40 * unit_roundoff<TypeParam> * static_cast<double>(truth[0]));
}

// Orthonormal and canonical whatever the rank and the scale.
TYPED_TEST(SvdRandomized, OfZerosAndAtAnyScale) {
  const RandomizedSvd how = {.rank = 12, .oversampling = 3, .seed = 9};
  const SvdCase<TypeParam> given = falling<TypeParam>(1, 20, 12), zeros(1, 20, 12);
  for (const SvdCase<TypeParam>& one : {given, zeros}) {
    const SvdResult<TypeParam> result = randomized(one, how);
    ASSERT_NO_FATAL_FAILURE(expect_decomposition(one, result));
  }
  const SvdResult<TypeParam> expected = randomized(given, how);
  for (const int power : {-90, 90}) {
    SvdCase<TypeParam> scaled = given;
    for (TypeParam& x : scaled.A) x = std::ldexp(x, power);
    const SvdResult<TypeParam> result = randomized(scaled, how);
    EXPECT_TRUE(same_bits(result.U, expected.U));
    EXPECT_TRUE(same_bits(result.Vh, expected.Vh));
    for (std::size_t r = 0; r < result.S.size(); ++r) EXPECT_EQ(result.S[r], std::ldexp(expected.S[r], power));
  }
}

TYPED_TEST(SvdRandomized, EqualSeedsGiveEqualBits) {
  const SvdCase<TypeParam> given = gaussian<TypeParam>(5, 30, 25);
  const RandomizedSvd how = {.rank = 4, .oversampling = 2, .power_iterations = 0, .seed = 1};
  const SvdResult<TypeParam> first = randomized(given, how);
  for (const int threads : {1, 2, 3, 0}) EXPECT_TRUE(same_bits(randomized(given, how, threads), first));
  EXPECT_TRUE(same_bits(randomized(given, how, 1, false).S, first.S));
  RandomizedSvd other = how;
  other.seed = 2;
  EXPECT_FALSE(same_bits(randomized(given, other).S, first.S));
}

TEST(SvdRandomizedArguments, AreRefused) {
  const auto complaint_of = [](const SvdCase<float>& given, const RandomizedSvd& how, std::int64_t K) {
    SvdResult<float> result(given, K, true);
    return refusal_of([&] { randomized_svd(given.problem(), how, result.output()); });
  };
  SvdCase<float> given = gaussian<float>(2, 6, 4);
  EXPECT_EQ(complaint_of(given, {.rank = 2}, 2), "accepted");
  EXPECT_EQ(complaint_of(given, {.rank = 2}, 4), "S.size() = 8: expected B * K = 4");
  EXPECT_EQ(complaint_of(given, {.rank = 0}, 0), "rank = 0: expected a number in [1, min(M, N)=4]");
  EXPECT_EQ(complaint_of(given, {.rank = 5}, 5), "rank = 5: expected a number in [1, min(M, N)=4]");
  EXPECT_EQ(complaint_of(given, {.rank = 1, .oversampling = -1}, 1), "oversampling = -1: expected at least 0");
  given.at(1, 2, 3) = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(complaint_of(given, {.rank = 2}, 2), "A[b=1, i=2, j=3] = nan: expected a finite number");
}

template <class Real>
class SvdRandomizedStored : public testing::Test {};
using StoredTypes = testing::Types<Half, BFloat16>;
TYPED_TEST_SUITE(SvdRandomizedStored, StoredTypes);

TYPED_TEST(SvdRandomizedStored, IsThatOfTheFloats) {
  const SvdCase<TypeParam> given = gaussian<TypeParam>(3, 20, 17);
  SvdCase<float> floats(3, 20, 17);
  for (std::size_t i = 0; i < given.A.size(); ++i) floats.A[i] = given.A[i];
  const RandomizedSvd how = {.rank = 4, .seed = 1};
  EXPECT_TRUE(same_bits(randomized(given, how, 2).S, randomized(floats, how).S));
}

}  // namespace
}  // namespace assay::metal
