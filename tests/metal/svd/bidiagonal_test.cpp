// The decomposition by reduction to bidiagonal form: whatever the shape and the instruction set, and with wrong steps.
#include "metal/cpu/svd/bidiagonal.h"

#include <gtest/gtest.h>

#include <functional>

#include "tests/metal/svd/case.h"

namespace assay::metal {
namespace {

using cpu::SvdKernels;

template <class T>
struct BidiagonalResult {
  bool done;
  SvdResult<T> factors;
};

template <class T>
const SvdKernels<T>& fastest_kernels() {
  return cpu::svd_kernels<T>(cpu::fastest_instruction_set());
}

/// For a matrix with at least as many rows as columns, scaled as svd does.
template <class T>
BidiagonalResult<T> by_bidiagonal(const SvdCase<T>& given, const SvdKernels<T>& kernels = fastest_kernels<T>(),
                                  bool vectors = true) {
  const std::int64_t m = given.M, n = given.N;
  T largest = 0;
  for (const T x : given.A) largest = std::max(largest, std::abs(x));
  const cpu::SvdScale<T> scale = cpu::svd_scale(largest, m, n);
  std::vector<T> A = given.A, V(static_cast<std::size_t>(n * n));
  for (T& x : A) x = x * scale.up[0] * scale.up[1];
  BidiagonalResult<T> result = {false, SvdResult<T>(given)};
  SvdResult<T>& to = result.factors;
  cpu::BidiagonalFactors<T> factors = {to.S.data(), {to.U.data(), m, n, n}, {V.data(), n, n, n}};
  if (!vectors) factors.left = factors.right = {};
  result.done = cpu::decompose_by_bidiagonal<T>(kernels, {A.data(), m, n, n}, factors);
  for (T& s : to.S) s = s * scale.down[0] * scale.down[1];
  for (std::int64_t j = 0; j < n; ++j)
    for (std::int64_t r = 0; r < n; ++r)
      to.Vh[static_cast<std::size_t>(r * n + j)] = V[static_cast<std::size_t>(j * n + r)];
  return result;
}

template <class T>
testing::AssertionResult accurate(const SvdCase<T>& given, const BidiagonalResult<T>& result) {
  if (!result.done) return testing::AssertionFailure() << "not done";
  const double most = 8 * std::sqrt(static_cast<double>(given.N));
  const SvdErrors errors = errors_of(given, result.factors);
  if (errors.residual <= most && errors.of_U <= most && errors.of_Vh <= most) return testing::AssertionSuccess();
  return testing::AssertionFailure() << "residual " << errors.residual << ", of U " << errors.of_U << ", of Vh "
                                     << errors.of_Vh << ": expected at most " << most;
}

template <class Real>
class SvdBidiagonal : public testing::Test {};
using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(SvdBidiagonal, Types);

TYPED_TEST(SvdBidiagonal, EverySizeAndInstructionSet) {
  for (const cpu::InstructionSet set : cpu::instruction_sets())
    for (const std::int64_t n : {1, 2, 3, 4, 5, 8, 9, 15, 16, 17, 18, 31, 32, 33, 50})
      for (const std::int64_t m : {n, n + 1, n + 9, 2 * n + 1, 4 * n}) {
        SCOPED_TRACE(testing::Message() << m << " x " << n << " set " << static_cast<int>(set));
        const SvdCase<TypeParam> given = gaussian<TypeParam>(1, m, n);
        EXPECT_TRUE(accurate(given, by_bidiagonal(given, cpu::svd_kernels<TypeParam>(set))));
      }
}

// Reflections of rows and columns that are 0 already, or too small to have an accurate length.
TYPED_TEST(SvdBidiagonal, MatricesWithNothingToReflect) {
  using Elements = std::function<double(std::int64_t i, std::int64_t j)>;
  const double tiny = std::numeric_limits<TypeParam>::min() / 64;
  for (const Elements& A :
       {Elements([](auto, auto) { return 0.0; }), Elements([](auto, auto) { return 1.0; }),
        Elements([](auto i, auto j) { return i == j ? 1.0 + static_cast<double>(i) : 0.0; }),
        Elements([](auto i, auto j) { return i == j || i == j + 1 ? 2.0 + static_cast<double>(i) : 0.0; }),
        Elements([](auto i, auto j) { return i / 5 == j / 5 ? 1.0 + static_cast<double>(i == j) : 0.0; }),
        Elements([&](auto i, auto j) { return i == j ? 1.0 : tiny; }),
        Elements([&](auto i, auto j) { return i == 2 || j == 3 ? tiny * static_cast<double>(i + j) : 1.0; }),
        Elements([](auto i, auto j) { return std::pow(0.01, static_cast<double>(i + j)); })})
    for (const std::int64_t m : {19, 23, 40}) {
      const SvdCase<TypeParam> given =
          SvdCase<TypeParam>(1, m, 19).fill([&](auto, std::int64_t i, std::int64_t j) { return A(i, j); });
      EXPECT_TRUE(accurate(given, by_bidiagonal(given))) << m << " rows, A[0, 0] = " << A(0, 0);
    }
}

TYPED_TEST(SvdBidiagonal, ValuesHaveTheSameBitsWithoutVectors) {
  for (const std::int64_t m : {50, 60, 130}) {
    const SvdCase<TypeParam> given = gaussian<TypeParam>(1, m, 50);
    EXPECT_TRUE(
        same_bits(by_bidiagonal(given).factors.S, by_bidiagonal(given, fastest_kernels<TypeParam>(), false).factors.S));
  }
}

TYPED_TEST(SvdBidiagonal, TheNumberOfThreadsDoesNotMatter) {
  const SvdCase<TypeParam> given = gaussian<TypeParam>(5, 100, 130);
  const auto by = [&](int threads) { return decomposed(given, {.method = SvdMethod::bidiagonal, .threads = threads}); };
  EXPECT_TRUE(same_bits(by(1), by(3)));
  ASSERT_NO_FATAL_FAILURE(expect_decomposition(given, by(2)));
}

TYPED_TEST(SvdBidiagonal, PiecesOfALargeMatrix) {
  const SvdCase<TypeParam> given = gaussian<TypeParam>(1, 390, 385);
  const auto by = [&](int threads, bool vectors) {
    return decomposed(given, {.method = SvdMethod::bidiagonal, .threads = threads, .vectors = vectors});
  };
  const SvdResult<TypeParam> result = by(3, true);
  ASSERT_NO_FATAL_FAILURE(expect_decomposition(given, result));
  EXPECT_TRUE(same_bits(by(1, true), result));
  EXPECT_TRUE(same_bits(by(2, false).S, result.S));
}

/// The factors of a reduction in which step 20 has been changed.
template <class T, int what>
BidiagonalResult<T> with_fault(const SvdCase<T>& given, T wrong) {
  static T fault;
  fault = wrong;
  SvdKernels<T> kernels = fastest_kernels<T>();
  kernels.bidiagonalize = [](const cpu::SvdPanel<T>& panel, T* diagonal, T* off_diagonal, T* right, T* left) {
    fastest_kernels<T>().bidiagonalize(panel, diagonal, off_diagonal, right, left);
    if (panel.first != 16) return;
    T* const changed[] = {diagonal + 20, off_diagonal + 20, right + 20, left + 20,
                          panel.updates + 4 * panel.stride + cpu::svd_ahead + 35};
    *changed[what] *= 1 + fault;
  };
  return by_bidiagonal(given, kernels);
}

TYPED_TEST(SvdBidiagonal, WrongReductionsAreSeen) {
  const SvdCase<TypeParam> given = gaussian<TypeParam>(1, 44, 40);
  using T = TypeParam;
  EXPECT_TRUE(accurate(given, with_fault<T, 0>(given, T(0))));
  const T error = 65536 * std::numeric_limits<T>::epsilon();
  for (const T wrong : {error, std::numeric_limits<T>::infinity(), std::numeric_limits<T>::quiet_NaN()}) {
    EXPECT_FALSE(accurate(given, with_fault<T, 0>(given, wrong))) << "diagonal";
    EXPECT_FALSE(accurate(given, with_fault<T, 1>(given, wrong))) << "off diagonal";
    EXPECT_FALSE(accurate(given, with_fault<T, 2>(given, wrong))) << "right reflection";
    EXPECT_FALSE(accurate(given, with_fault<T, 3>(given, wrong))) << "left reflection";
    EXPECT_FALSE(accurate(given, with_fault<T, 4>(given, wrong))) << "update " << wrong;
  }
}

}  // namespace
}  // namespace assay::metal
