// Decompositions by the Gram matrix: as accurate as floats can be up to the largest condition, and refused beyond it.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "metal/cpu/svd/gram.h"
#include "tests/metal/svd/case.h"

namespace assay::metal {
namespace {

using cpu::SvdKernels;

const SvdKernels<double>& fastest() {
  return cpu::svd_kernels<double>(cpu::fastest_instruction_set());
}

struct GramResult {
  bool done;
  SvdResult<float> factors;
};

GramResult by_gram(const SvdCase<float>& given, const SvdKernels<double>& kernels = fastest(), bool vectors = true,
                   cpu::Columns columns = cpu::Columns::any) {
  const std::int64_t m = given.M, n = given.N;
  std::vector<float> A = given.A, V(static_cast<std::size_t>(n * n));
  GramResult result = {false, SvdResult<float>(given, true)};
  SvdResult<float>& to = result.factors;
  cpu::GramFactors factors = {to.S.data(), {to.U.data(), m, n, n}, {V.data(), n, n, n}};
  if (!vectors) factors.left = factors.right = {};
  result.done = cpu::decompose_by_gram(kernels, {A.data(), m, n, n}, columns, factors);
  for (std::int64_t j = 0; j < n; ++j)
    for (std::int64_t r = 0; r < n; ++r)
      to.Vh[static_cast<std::size_t>(r * n + j)] = V[static_cast<std::size_t>(j * n + r)];
  return result;
}

/// Whether the values are within 2 units of roundoff of themselves, and what else there is within 2 sqrt(n).
bool accurate(const SvdCase<float>& given, const SvdResult<float>& result) {
  const double most = 2 * std::sqrt(static_cast<double>(given.N));
  const SvdErrors errors = errors_of(given, result);
  return relative_error(given, result) <= 2.0 && errors.residual <= most && errors.of_U <= most && errors.of_Vh <= most;
}

/// H diag(values) H' [m, n], H and H' reflections.
SvdCase<float> with_values(std::int64_t m, const std::vector<double>& values) {
  const auto n = static_cast<std::int64_t>(values.size());
  const SvdCase<double> x = gaussian<double>(1, m, 1, 1.0, 3), y = gaussian<double>(1, n, 1, 1.0, 4);
  const auto reflection = [](const SvdCase<double>& v, std::int64_t i, std::int64_t j) {
    double square = 0;
    for (const double element : v.A) square += element * element;
    return (i == j ? 1.0 : 0.0) - 2 * v.get(0, i, 0) * v.get(0, j, 0) / square;
  };
  return SvdCase<float>(1, m, n).fill([&](std::int64_t, std::int64_t i, std::int64_t j) {
    double sum = 0;
    for (std::int64_t k = 0; k < n; ++k)
      sum += reflection(x, i, k) * values[static_cast<std::size_t>(k)] * reflection(y, k, j);
    return sum;
  });
}

/// n values in a geometric sequence from 1 to `least`.
std::vector<double> geometric(std::int64_t n, double least) {
  std::vector<double> values;
  for (std::int64_t k = 0; k < n; ++k)
    values.push_back(std::pow(least, static_cast<double>(k) / static_cast<double>(n - 1)));
  return values;
}

TEST(SvdGram, GaussianMatrices) {
  for (const auto& [m, n] : {std::pair<std::int64_t, std::int64_t>{1, 1},
                             {2, 2},
                             {5, 3},
                             {33, 30},
                             {47, 47},
                             {64, 64},
                             {600, 21},
                             {256, 8},
                             {257, 8}}) {
    SCOPED_TRACE(testing::Message() << m << " x " << n);
    const SvdCase<float> given = gaussian<float>(1, m, n);
    const GramResult result = by_gram(given);
    EXPECT_TRUE(result.done);
    EXPECT_TRUE(accurate(given, result.factors));
  }
}

TEST(SvdGram, AccurateUpToTheLargestConditionAndRefusedBeyondIt) {
  for (const std::int64_t m : {40, 90}) {
    const double least = 1 / std::sqrt(cpu::max_gram_quotient(m, 40, cpu::Columns::any));
    const SvdCase<float> below = with_values(m, geometric(40, 1.02 * least));
    const GramResult result = by_gram(below);
    EXPECT_TRUE(result.done);
    EXPECT_TRUE(accurate(below, result.factors));
    EXPECT_FALSE(by_gram(with_values(m, geometric(40, 0.98 * least))).done);
  }
}

// Relative errors of Jacobi's method are a multiple of the condition of even columns, and so may these be.
TEST(SvdGram, EvenColumnsOfALargerCondition) {
  for (const std::int64_t m : {40, 90}) {
    const double least = 1 / std::sqrt(cpu::max_gram_quotient(m, 40, cpu::Columns::even));
    for (const double condition : {0.002 / least, 0.1 / least, 0.9 / least}) {
      SCOPED_TRACE(testing::Message() << "m=" << m << " condition " << condition);
      const SvdCase<float> given = with_values(m, geometric(40, 1 / condition));
      const GramResult result = by_gram(given, fastest(), true, cpu::Columns::even);
      EXPECT_TRUE(result.done);
      const double most = 2 * std::sqrt(40.0);
      const SvdErrors errors = errors_of(given, result.factors);
      EXPECT_LE(errors.residual, most);
      EXPECT_LE(errors.of_U, most);
      EXPECT_LE(errors.of_Vh, most);
      EXPECT_LE(relative_error(given, result.factors), 1 + condition / 16);
    }
    EXPECT_FALSE(by_gram(with_values(m, geometric(40, 0.5 * least)), fastest(), true, cpu::Columns::even).done);
  }
}

TEST(SvdGram, ValuesHaveTheSameBitsWithoutVectors) {
  const SvdCase<float> given = gaussian<float>(1, 70, 50);
  EXPECT_TRUE(same_bits(by_gram(given).factors.S, by_gram(given, fastest(), false).factors.S));
}

TEST(SvdGram, RefusesWhatItCannotDo) {
  EXPECT_FALSE(by_gram(SvdCase<float>(1, 20, 12)).done) << "zero";
  EXPECT_FALSE(by_gram(with_values(20, std::vector<double>(12, 1.0))).done) << "equal values";
  EXPECT_FALSE(by_gram(SvdCase<float>(1, 9, 9).fill([](auto, auto i, auto j) { return i == j ? 3.0 : 0.0; })).done);
  SvdCase<float> dependent = gaussian<float>(1, 20, 12);
  for (std::int64_t i = 0; i < 20; ++i) dependent.at(0, i, 5) = dependent.at(0, i, 7);
  EXPECT_FALSE(by_gram(dependent).done) << "rank 11";
  for (const float wrong : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    SvdCase<float> given = gaussian<float>(1, 20, 12);
    given.at(0, 3, 4) = wrong;
    EXPECT_FALSE(by_gram(given).done) << wrong;
  }
}

// Values so close that float does not tell them apart, and values farther and farther apart.
TEST(SvdGram, CloseValues) {
  for (const double gap : {0.0, 1e-12, 1e-9, 1e-7, 1e-5, 1e-3, 1e-2}) {
    SCOPED_TRACE(gap);
    std::vector<double> values;
    for (int k = 0; k < 48; ++k) values.push_back((k < 40 ? 1.0 : 0.03) * (1 - gap * k));
    const SvdCase<float> given = with_values(64, values);
    const GramResult result = by_gram(given);
    if (gap >= 1e-3) {
      EXPECT_TRUE(result.done);
    }
    if (result.done) {
      EXPECT_TRUE(accurate(given, result.factors));
    }
    ASSERT_NO_FATAL_FAILURE(expect_decomposition(given, decomposed(given, {.method = SvdMethod::gram})));
  }
}

TEST(SvdGram, GradedColumnsAndScales) {
  for (const double scale : {1e-30, 1e30})
    for (const double least : {1e-1, 1e-2, 1e-3, 1e-4, 1e-6}) {
      SCOPED_TRACE(testing::Message() << "least " << least << " scale " << scale);
      const SvdCase<float> given = graded<float>(1, 64, 64, least, scale);
      const SvdResult<float> result = decomposed(given, {.method = SvdMethod::gram});
      EXPECT_LE(relative_error(given, result), 30.0);
      ASSERT_NO_FATAL_FAILURE(expect_decomposition(given, result));
    }
}

TEST(SvdGram, TheNumberOfThreadsDoesNotMatter) {
  const SvdCase<float> given = gaussian<float>(5, 100, 80);
  EXPECT_TRUE(same_bits(decomposed(given, {.threads = 1}), decomposed(given, {.threads = 3})));
  EXPECT_TRUE(same_bits(decomposed(given), decomposed(given, {.method = SvdMethod::gram})));
}

TEST(SvdGram, PiecesOfALargeMatrix) {
  const SvdCase<float> given = gaussian<float>(1, 600, 385);
  const auto by = [&](int threads, bool vectors) {
    return decomposed(given, {.method = SvdMethod::gram, .threads = threads, .vectors = vectors});
  };
  const SvdResult<float> result = by(3, true);
  ASSERT_NO_FATAL_FAILURE(expect_decomposition(given, result));
  EXPECT_TRUE(same_bits(by(1, true), result));
  EXPECT_TRUE(same_bits(by(2, false).S, result.S));
  EXPECT_TRUE(by_gram(given).done);
  const SvdCase<float> two = gaussian<float>(2, 390, 385);  // with two threads for each
  EXPECT_TRUE(same_bits(decomposed(two, {.threads = 1}), decomposed(two, {.threads = 5})));
}

// Steps that are wrong: `accurate` sees a wrong reduction, and the decomposition itself refuses wrong vectors.
TEST(SvdGram, WrongStepsAreSeen) {
  const SvdCase<float> given = gaussian<float>(1, 60, 40);
  SvdKernels<double> kernels = fastest();
  kernels.tridiagonalize = [](const cpu::SvdSymmetric<double>& A, double* diagonal, double* off_diagonal,
                              double* factors, double* work) {
    fastest().tridiagonalize(A, diagonal, off_diagonal, factors, work);
    diagonal[A.n - 1] *= 1 + 1e-5;
  };
  EXPECT_FALSE(accurate(given, by_gram(given, kernels).factors));
  kernels = fastest();
  kernels.eigenvectors = [](const cpu::SvdTridiagonal<double>& of, double* values, double* Z, double* residuals,
                            double* work) {
    fastest().eigenvectors(of, values, Z, residuals, work);
    for (std::int64_t i = 0; i < of.n; ++i) Z[i * of.n + 7] = Z[i * of.n + 6];
  };
  EXPECT_FALSE(by_gram(given, kernels).done);
  kernels.eigenvectors = [](const cpu::SvdTridiagonal<double>& of, double* values, double* Z, double* residuals,
                            double* work) {
    fastest().eigenvectors(of, values, Z, residuals, work);
    residuals[of.n / 2] = values[of.n / 2] * 1e-9;
  };
  EXPECT_FALSE(by_gram(given, kernels).done);
}

// Approximate eigenvalues are improved; of one that stands for its neighbour, or out of order, no vectors are accepted.
TEST(SvdGram, WrongEigenvaluesAreRefused) {
  const SvdCase<float> given = gaussian<float>(1, 60, 40);
  static void (*change)(double* values);
  SvdKernels<double> kernels = fastest();
  kernels.eigenvalues = [](const cpu::SvdBands<double>& of, double* values, double* work) {
    fastest().eigenvalues(of, values, work);
    change(values);
  };
  change = [](double* values) { values[7] *= 1 + 1e-6; };
  const GramResult improved = by_gram(given, kernels);
  EXPECT_TRUE(improved.done);
  EXPECT_TRUE(accurate(given, improved.factors));
  for (void (*const wrong)(double*) :
       {+[](double* values) { values[7] = values[6]; }, +[](double* values) { std::swap(values[7], values[30]); },
        +[](double* values) { values[7] = values[0]; }, +[](double* values) { values[39] = 0; },
        +[](double* values) { values[20] = std::numeric_limits<double>::quiet_NaN(); },
        +[](double* values) { values[20] = std::numeric_limits<double>::infinity(); }}) {
    change = wrong;
    EXPECT_FALSE(by_gram(given, kernels).done);
  }
}

}  // namespace
}  // namespace assay::metal
