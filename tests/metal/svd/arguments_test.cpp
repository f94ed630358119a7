// What is refused and how it is named; which outputs are written; the same bits whatever stands beside a matrix.
#include <gtest/gtest.h>

#include <cblas.h>

#include "metal/cpu/svd/any.h"
#include "tests/metal/svd/case.h"
#include "tests/refusal.h"

namespace assay::metal {
namespace {

TEST(SvdArguments, RefusesSizes) {
  const SvdCase<float> given = gaussian<float>(2, 4, 3);
  SvdResult<float> result(given);
  const auto complaint_of = [&](const SvdOutput<float>& output, int threads = 1) {
    return refusal_of([&] { svd(given.problem(), output, {threads}); });
  };
  EXPECT_EQ(complaint_of(result.output()), "accepted");
  EXPECT_EQ(complaint_of({result.U, std::span(result.S).first(5), result.Vh}), "S.size() = 5: expected B * K = 6");
  EXPECT_EQ(complaint_of({std::span(result.U).first(5), result.S, result.Vh}),
            "U.size() = 5: expected B * M * K, or Vh empty too = 24");
  EXPECT_EQ(complaint_of({result.U, result.S, {}}), "Vh.size() = 0: expected B * K * N, or U empty too = 18");
  EXPECT_EQ(complaint_of({{}, result.S, result.Vh}), "U.size() = 0: expected B * M * K, or Vh empty too = 24");
  EXPECT_EQ(complaint_of(result.output(), -1), "threads = -1: expected at least 0");
  SvdProblem<float> problem = given.problem();
  problem.M = 5;
  EXPECT_EQ(refusal_of([&] { svd(problem, result.output()); }), "A.size() = 24: expected B * M * N = 30");
  problem.M = -1;
  EXPECT_EQ(refusal_of([&] { svd(problem, result.output()); }), "M = -1: expected at least 0");
}

TEST(SvdArguments, RefusesExtentsThatTheBlasCannotCount) {
  const SvdProblem<float> problem = {0, std::int64_t{1} << 31, 1, {}};
  EXPECT_EQ(refusal_of([&] { svd(problem, SvdOutput<float>{}); }),
            "M = 2147483648, N = 1: expected at most 1073741823, which the BLAS can count");
}

template <class Real>
void expect_refused(std::int64_t M, std::int64_t N, SvdMethod method, float bad, const char* value) {
  for (const std::int64_t b : {0, 20, 39})
    for (const std::int64_t i : {std::int64_t{0}, M / 2, M - 1})
      for (const std::int64_t j : {std::int64_t{0}, N / 2, N - 1}) {
        SvdCase<Real> given = gaussian<Real>(40, M, N);
        given.at(b, i, j) = static_cast<Real>(bad);
        std::ostringstream expected;
        expected << "A[b=" << b << ", i=" << i << ", j=" << j << "] = " << value << ": expected a finite number";
        EXPECT_EQ(refusal_of([&] { decomposed(given, {.method = method, .threads = 2}); }), expected.str());
      }
}

TEST(SvdArguments, RefusesWhatIsNotFinite) {
  constexpr float infinity = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
  for (const auto& [M, N] : {std::pair<std::int64_t, std::int64_t>{1, 1}, {3, 3}, {8, 8}, {5, 9}, {16, 16}, {20, 20}})
    for (const auto& [bad, value] : {std::pair{nan, "nan"}, std::pair{infinity, "inf"}, std::pair{-infinity, "-inf"}}) {
      expect_refused<float>(M, N, SvdMethod::automatic, bad, value);
      expect_refused<double>(M, N, SvdMethod::automatic, bad, value);
      expect_refused<Half>(M, N, SvdMethod::automatic, bad, value);
      expect_refused<BFloat16>(M, N, SvdMethod::automatic, bad, value);
      for (const SvdMethod method : {SvdMethod::preconditioned, SvdMethod::direct, SvdMethod::bidiagonal})
        expect_refused<float>(M, N, method, bad, value);
    }
}

TEST(SvdArguments, EmptyExtents) {
  for (const auto& [B, M, N] : {std::array<std::int64_t, 3>{0, 3, 3}, {2, 0, 3}, {2, 3, 0}, {2, 0, 0}}) {
    const SvdCase<float> given(B, M, N);
    SvdResult<float> result(given);
    EXPECT_EQ(refusal_of([&] { svd(given.problem(), result.output()); }), "accepted");
    EXPECT_TRUE(result.S.empty());
  }
}

TEST(SvdArguments, TheLimitOfSweepsIsAnError) {
  for (const std::int64_t N : {8, 16, 40})
    for (const SvdMethod method : jacobi_methods()) {
      SvdCase<float> given = gaussian<float>(40, N, N);
      for (std::int64_t i = 0; i < 21 * N * N; ++i) given.A[static_cast<std::size_t>(i)] = 0;
      SvdResult<float> result(given);
      std::string message = "accepted";
      try {
        cpu::svd(given.problem(), result.output(), {2}, cpu::SvdTuning{method, cpu::fastest_instruction_set(), 2});
      } catch (const SvdNotConverged& error) {
        message = error.what();
      }
      EXPECT_EQ(message, "A[b=21]: columns not orthogonal after 2 sweeps") << N << " " << name_of(method);
    }
}

TEST(SvdArguments, RefusesMixedTypes) {
  const std::vector<float> A(4);
  std::vector<double> wide(4);
  AnySvdProblem any = {{1, 2, 2, {}}, std::span<const float>(A)};
  AnySvdOutput out = {std::span<double>(wide), std::span<float>(), std::span<float>()};
  EXPECT_EQ(refusal_of([&] { with_types(any, out, [](const auto&, const auto&) {}); }),
            "U is float64: expected float32, as A is");
  out = {std::span<float>(), std::span<double>(wide), std::span<float>()};
  EXPECT_EQ(refusal_of([&] { with_types(any, out, [](const auto&, const auto&) {}); }),
            "S is float64: expected float32, as the singular values of A is");
}

template <class Real>
class SvdOutputs : public testing::Test {};
using Types = testing::Types<float, double, Half, BFloat16>;
TYPED_TEST_SUITE(SvdOutputs, Types);

const std::vector<std::pair<std::int64_t, std::int64_t>>& sizes() {
  static const std::vector<std::pair<std::int64_t, std::int64_t>> all = {
      {1, 1}, {2, 3}, {3, 3}, {8, 8}, {6, 8}, {9, 7}, {16, 16}, {11, 16}, {20, 20}, {40, 33}, {300, 6}};
  return all;
}

/// Matrices that take different numbers of sweeps side by side.
template <class Real>
SvdCase<Real> mixed_batch(std::int64_t B, std::int64_t M, std::int64_t N) {
  SvdCase<Real> given = gaussian<Real>(B, M, N);
  for (std::int64_t b = 0; b < B; ++b)
    for (std::int64_t i = 0; i < M; ++i)
      for (std::int64_t j = 0; j < N; ++j) {
        if (b % 5 == 1) given.at(b, i, j) = static_cast<Real>(i == j ? 2.0F : 0.0F);
        if (b % 5 == 2) given.at(b, i, j) = static_cast<Real>(static_cast<float>((i + 1) * (j % 3)));
        if (b % 5 == 3)
          given.at(b, i, j) =
              static_cast<Real>(std::ldexp(static_cast<float>(given.get(b, i, j)), -static_cast<int>(j)));
      }
  return given;
}

TYPED_TEST(SvdOutputs, AreTheSameBitsAlone) {
  for (const auto& [M, N] : sizes()) {
    SCOPED_TRACE(testing::Message() << M << " x " << N);
    const std::int64_t B = 43;
    const SvdCase<TypeParam> given = mixed_batch<TypeParam>(B, M, N);
    const SvdResult<TypeParam> together = decomposed(given);
    const auto rows = [](const auto& all, std::int64_t b, std::int64_t size) {
      return std::vector(all.begin() + b * size, all.begin() + (b + 1) * size);
    };
    for (std::int64_t b = 0; b < B; ++b) {
      const SvdResult<TypeParam> alone = decomposed(given.matrix(b));
      ASSERT_TRUE(same_bits(alone.S, rows(together.S, b, given.K()))) << b;
      ASSERT_TRUE(same_bits(alone.U, rows(together.U, b, M * given.K()))) << b;
      ASSERT_TRUE(same_bits(alone.Vh, rows(together.Vh, b, given.K() * N))) << b;
    }
  }
}

TYPED_TEST(SvdOutputs, AreTheSameBitsOnAnyNumberOfThreads) {
  for (const auto& [M, N] : sizes()) {
    const SvdCase<TypeParam> given = mixed_batch<TypeParam>(150, M, N);
    const SvdResult<TypeParam> first = decomposed(given);
    for (const int threads : {0, 1, 2, 3, 7})
      EXPECT_TRUE(same_bits(decomposed(given, {.threads = threads}), first)) << M << " x " << N << " " << threads;
  }
}

TYPED_TEST(SvdOutputs, SingularValuesAloneAreTheSameBits) {
  for (const auto& [M, N] : sizes()) {
    const SvdCase<TypeParam> given = mixed_batch<TypeParam>(40, M, N);
    for (const SvdMethod method :
         {SvdMethod::automatic, SvdMethod::preconditioned, SvdMethod::direct, SvdMethod::bidiagonal})
      EXPECT_TRUE(
          same_bits(decomposed(given, {.method = method, .vectors = false}).S, decomposed(given, {.method = method}).S))
          << M << " x " << N << " " << name_of(method);
  }
}

TYPED_TEST(SvdOutputs, NothingBesideThemIsWritten) {
  for (const auto& [M, N] : sizes()) {
    const SvdCase<TypeParam> given = mixed_batch<TypeParam>(7, M, N);
    SvdResult<TypeParam> result(given);
    const auto padded = [](auto& array) {
      array.insert(array.begin(), 16, array[0]);
      array.insert(array.end(), 16, array[0]);
      return std::span(array).subspan(16, array.size() - 32);
    };
    const SvdOutput<TypeParam> inner = {padded(result.U), padded(result.S), padded(result.Vh)};
    svd(given.problem(), inner, {2});
    const auto untouched = [](const auto& array) {
      for (std::size_t i = 0; i < 16; ++i)
        for (const std::size_t at : {i, array.size() - 1 - i})
          if (static_cast<float>(array[at]) != static_cast<float>(static_cast<TypeParam>(777.0F))) return false;
      return true;
    };
    EXPECT_TRUE(untouched(result.U));
    EXPECT_TRUE(untouched(result.Vh));
    for (std::size_t i = 0; i < 16; ++i) EXPECT_EQ(result.S[i] + result.S[result.S.size() - 1 - i], 2 * 777);
  }
}

TEST(SvdBlas, IsLeftAsItWas) {
  const int before = openblas_get_num_threads();
  openblas_set_num_threads(2);
  decomposed(gaussian<float>(3, 40, 40), {.threads = 2});
  EXPECT_EQ(openblas_get_num_threads(), 2);
  openblas_set_num_threads(before);
}

}  // namespace
}  // namespace assay::metal
