// The factors at every size, by every method, with every instruction set and in every type.
#include <gtest/gtest.h>

#include "tests/metal/svd/case.h"

namespace assay::metal {
namespace {

using cpu::InstructionSet;

const std::vector<std::pair<std::int64_t, std::int64_t>>& sizes() {
  static const std::vector<std::pair<std::int64_t, std::int64_t>> all = {
      {1, 1},   {2, 2},   {3, 3},   {4, 4},   {5, 5},   {7, 7},   {8, 8},   {9, 9},   {15, 15}, {16, 16},
      {17, 17}, {31, 31}, {32, 32}, {33, 33}, {48, 48}, {63, 63}, {64, 64}, {65, 65}, {7, 1},   {1, 7},
      {200, 8}, {8, 200}, {19, 5},  {5, 19},  {40, 24}, {24, 40}, {9, 2},   {2, 9},   {90, 33}, {33, 90}};
  return all;
}

template <class Real>
void expect_all_sizes(SvdMethod method, InstructionSet set) {
  for (const auto& [M, N] : sizes()) {
    SCOPED_TRACE(testing::Message() << M << " x " << N << " " << name_of(method) << " set " << static_cast<int>(set));
    const SvdCase<Real> given = gaussian<Real>(M * N < 300 ? 19 : 2, M, N);
    const double bound = method == SvdMethod::bidiagonal ? 8.0 : 4.0;  // two reflections for each column
    ASSERT_NO_FATAL_FAILURE(expect_decomposition(given, decomposed(given, {.method = method, .set = set}), bound));
  }
}

template <class Real>
class SvdValues : public testing::Test {};
using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(SvdValues, Types);

TYPED_TEST(SvdValues, EverySizeMethodAndInstructionSet) {
  for (const InstructionSet set : cpu::instruction_sets()) {
    for (const SvdMethod method : jacobi_methods()) expect_all_sizes<TypeParam>(method, set);
    expect_all_sizes<TypeParam>(SvdMethod::bidiagonal, set);
    if (std::is_same_v<TypeParam, float>) expect_all_sizes<TypeParam>(SvdMethod::gram, set);
  }
}

TYPED_TEST(SvdValues, Large) {
  for (const auto& [M, N] : {std::pair<std::int64_t, std::int64_t>{100, 100}, {128, 128}, {130, 130}, {256, 256}}) {
    SCOPED_TRACE(testing::Message() << M << " x " << N);
    const SvdCase<TypeParam> given = gaussian<TypeParam>(1, M, N);
    ASSERT_NO_FATAL_FAILURE(expect_decomposition(given, decomposed(given)));
  }
}

// Matrices of float that the Gram matrix decomposes, of double that are reduced to bidiagonal form, and one that is
// not.
TYPED_TEST(SvdValues, BeyondTheLimitOfJacobi) {
  constexpr SvdMethod expected = std::is_same_v<TypeParam, float> ? SvdMethod::gram : SvdMethod::bidiagonal;
  SvdCase<TypeParam> given = gaussian<TypeParam>(1, 130, 130);
  EXPECT_TRUE(same_bits(decomposed(given), decomposed(given, {.method = expected})));
  for (std::int64_t i = 0; i < 130; ++i) given.at(0, i, 7) *= TypeParam(1e-6);
  EXPECT_TRUE(same_bits(decomposed(given), decomposed(given, {.method = SvdMethod::preconditioned})));
}

TYPED_TEST(SvdValues, VeryTall) {
  for (const std::int64_t N : {1, 3, 8, 20}) {
    SCOPED_TRACE(N);
    const SvdCase<TypeParam> given = gaussian<TypeParam>(1, 5000, N);
    // Twice what square matrices are held to: sums of 5000 squares round too.
    ASSERT_NO_FATAL_FAILURE(expect_decomposition(given, decomposed(given), 8.0));
  }
}

template <class Real>
class SvdStored : public testing::Test {};
using StoredTypes = testing::Types<Half, BFloat16>;
TYPED_TEST_SUITE(SvdStored, StoredTypes);

// The factors of the same numbers as float, rounded once, but for a sign that rounding may have changed.
TYPED_TEST(SvdStored, AreThoseOfTheirFloatsRounded) {
  for (const auto& [M, N] : sizes()) {
    SCOPED_TRACE(testing::Message() << M << " x " << N);
    const SvdCase<TypeParam> given = gaussian<TypeParam>(3, M, N);
    const SvdResult<TypeParam> result = decomposed(given);
    SvdCase<float> floats(3, M, N);
    for (std::size_t i = 0; i < given.A.size(); ++i) floats.A[i] = given.A[i];
    const SvdResult<float> expected = decomposed(floats);
    EXPECT_TRUE(same_bits(result.S, expected.S));
    for (std::size_t i = 0; i < result.U.size(); ++i)
      ASSERT_EQ(std::abs(static_cast<float>(result.U[i])),
                std::abs(static_cast<float>(rounded<TypeParam>(static_cast<double>(expected.U[i])))));
    for (std::int64_t b = 0; b < 3; ++b) {
      ASSERT_NO_FATAL_FAILURE(expect_canonical(given, result, b));
      ASSERT_LE(errors_of(given, result, b).residual, 4.0 * std::sqrt(static_cast<double>(given.K())));
    }
  }
}

}  // namespace
}  // namespace assay::metal
