// Comparisons of runs: a NaN, an infinity or a single wrong element of any output must fail, whatever stands around it.
#include "validation/svd/compare.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "tests/limits.h"
#include "tests/matchers.h"
#include "tests/validation/svd/kernels.h"

namespace assay::validation {
namespace {

using tests::doubles::infinity;
using tests::doubles::nan;

SvdRun good_run(const SvdCase& c) {
  return run_kernel(*plain_svd_kernel(), c);
}

TEST(SvdHoldValue, AcceptsWithinTheBoundAndNothingElse) {
  const SvdCase c = two_tall();
  const auto held = [&](double got, double sigma, double bound) {
    SvdRun run = good_run(c);
    run.S[3] = got;
    Comparison comparison;
    hold_value(comparison, c, run, 1, 1, sigma, bound);
    const Finding finding = comparison.finding();
    if (is_failure(finding.verdict)) {
      EXPECT_THAT(finding.explanation, HasSubstr("S[b=1, k=1]"));
    }
    return finding.verdict;
  };
  EXPECT_EQ(held(1, 1, 0), Verdict::pass);
  EXPECT_EQ(held(1.5, 1, 0.5), Verdict::pass);
  EXPECT_EQ(held(1.5, 1, 0.499), Verdict::fail);
  EXPECT_EQ(held(0.5, 1, 0.499), Verdict::fail);
  for (const double bound : {0.0, 1.0, 1e30, infinity, nan}) {
    EXPECT_EQ(held(nan, 1, bound), Verdict::fail) << bound;
    EXPECT_EQ(held(-infinity, 1, bound), Verdict::fail) << bound;
    EXPECT_EQ(held(1, nan, bound), Verdict::fail) << bound;
    EXPECT_EQ(held(nan, nan, bound), Verdict::fail) << bound;
  }
  EXPECT_EQ(held(infinity, 1, 1e30), Verdict::fail);
  EXPECT_EQ(held(infinity, nan, 1), Verdict::fail);
}

/// 2^128 - 2^103 is the last that a float32 rounds to a number; one may, and the bound says how far to either side.
TEST(SvdHoldValue, TakesAnInfinityBeyondTheType) {
  for (const Dtype dtype : all_dtypes()) {
    const SvdCase c = exchange(dtype);
    const double most = format_of(value_dtype(dtype)).largest;
    const auto held = [&](double got, double sigma, double bound) {
      SvdRun run = good_run(c);
      run.S[0] = got;
      Comparison comparison;
      hold_value(comparison, c, run, 0, 0, sigma, bound);
      return comparison.finding().verdict;
    };
    EXPECT_EQ(held(infinity, most, most / 1e6), Verdict::pass);
    EXPECT_EQ(held(infinity, infinity, most / 1e6), Verdict::pass);
    EXPECT_EQ(held(infinity, most * 0.99, most / 1e6), Verdict::fail);
    EXPECT_EQ(held(most, most, 0), Verdict::pass);
    EXPECT_EQ(held(nan, infinity, 1), Verdict::fail);
    EXPECT_EQ(held(-infinity, infinity, 1), Verdict::fail);
    EXPECT_EQ(held(most, infinity, 1), Verdict::fail);
  }
}

class SvdHolds : public testing::TestWithParam<Dtype> {};

Finding orthonormal(const SvdCase& c, const SvdRun& run, bool of_u) {
  const SvdBounds bounds(c, plain_svd_kernel()->info());
  Comparison comparison;
  if (of_u) hold_orthonormal_u(comparison, c, run, bounds);
  if (!of_u) hold_orthonormal_v(comparison, c, run, bounds);
  return comparison.finding();
}

/// Each element of U, and of Vh, in turn.
TEST_P(SvdHolds, OrthonormalityFailsForOneWrongElementAnywhere) {
  for (const bool wide : {false, true}) {
    const SvdCase c = wide ? transposed(two_tall(GetParam())) : two_tall(GetParam());
    const SvdRun good = good_run(c);
    for (const bool of_u : {true, false}) {
      const auto output = of_u ? &SvdRun::U : &SvdRun::Vh;
      EXPECT_EQ(orthonormal(c, good, of_u).verdict, Verdict::pass);
      for (std::size_t i = 0; i < (good.*output).size(); ++i) {
        for (const double wrong : {nan, infinity, -infinity, (good.*output)[i] + 0.125, 1e30}) {
          SvdRun bad = good;
          (bad.*output)[i] = wrong;
          const Finding finding = orthonormal(c, bad, of_u);
          EXPECT_EQ(finding.verdict, Verdict::fail) << i << ' ' << wrong;
          EXPECT_THAT(finding.explanation, HasSubstr(of_u ? "U^T U[b=" : "Vh Vh^T[b="));
        }
      }
    }
  }
}

TEST_P(SvdHolds, OrthonormalityToItsBound) {
  const SvdCase c = exchange(GetParam());
  const double bound = SvdBounds(c, plain_svd_kernel()->info()).orthogonal();
  for (const bool of_u : {true, false}) {
    SvdRun run = good_run(c);
    double& zero = of_u ? run.U[2] : run.Vh[3];  // beside a 1: the product of two columns, or rows
    ASSERT_EQ(zero, 0);
    zero = 0.99 * bound;
    EXPECT_EQ(orthonormal(c, run, of_u).verdict, Verdict::pass);
    zero = -1.01 * bound;
    EXPECT_EQ(orthonormal(c, run, of_u).verdict, Verdict::fail);
  }
}

Finding values(const SvdCase& c, const SvdRun& run, const SvdRun& other, double allowance = 0) {
  Comparison comparison;
  hold_values(comparison, plain_svd_kernel()->info(), c, run, c, other, allowance);
  return comparison.finding();
}

TEST_P(SvdHolds, ValuesOfTwoRunsFailForOneWrongElementOfEither) {
  const SvdCase c = two_tall(GetParam());
  const SvdRun good = good_run(c);
  EXPECT_EQ(values(c, good, good).verdict, Verdict::pass);
  for (std::size_t i = 0; i < good.S.size(); ++i) {
    for (const double wrong : {nan, infinity, -infinity, good.S[i] + 0.0625, good.S[i] - 0.0625, 1e30}) {
      SvdRun bad = good;
      bad.S[i] = wrong;
      EXPECT_EQ(values(c, bad, good).verdict, Verdict::fail) << wrong;
      EXPECT_EQ(values(c, good, bad).verdict, Verdict::fail) << wrong << " as what is expected";
    }
  }
  SvdRun bad = good;
  bad.S[2] = nan;
  EXPECT_EQ(values(c, bad, bad).verdict, Verdict::fail) << "agreement on a NaN is none";
}

TEST_P(SvdHolds, ValuesToTheSumOfBothBounds) {
  const SvdCase c = exchange(GetParam());
  const SvdBounds bounds(c, plain_svd_kernel()->info());
  const SvdRun good = good_run(c);
  const auto moved = [&](double by, double allowance) {
    SvdRun run = good;
    run.S[0] += by;
    return values(c, run, good, allowance).verdict;
  };
  const double both = 2 * bounds.value(0, good.S[0]);
  EXPECT_EQ(moved(0.9 * both, 0), Verdict::pass);
  EXPECT_EQ(moved(-0.9 * both, 0), Verdict::pass);
  EXPECT_EQ(moved(1.1 * both, 0), Verdict::fail);
  EXPECT_EQ(moved(-1.1 * both, 0), Verdict::fail);
  EXPECT_EQ(moved(1.1 * both, both), Verdict::pass);
  EXPECT_EQ(moved(2.1 * both, both), Verdict::fail);
  EXPECT_EQ(moved(1.1 * both, nan), Verdict::fail);
}

/// Where one run rounds to the largest number, another may overflow; and nowhere else.
TEST_P(SvdHolds, ValuesThatOverflowAtTheEdgeAlone) {
  const SvdCase c = exchange(GetParam());
  const double most = format_of(value_dtype(GetParam())).largest;
  SvdCase edge = c;
  for (double& element : edge.A) element *= format_of(c.dtype).largest / 2;
  const auto pair = [&](double got, double expected) {
    SvdRun first = good_run(c), second = first;
    first.S[0] = got;
    second.S[0] = expected;
    first.S[1] = second.S[1] = 0;
    return values(edge, first, second).verdict;
  };
  EXPECT_EQ(pair(infinity, infinity), Verdict::pass);
  EXPECT_EQ(pair(infinity, most), Verdict::pass);
  EXPECT_EQ(pair(most, infinity), Verdict::pass);
  EXPECT_EQ(pair(infinity, most / 2), Verdict::fail);
  EXPECT_EQ(pair(most / 2, infinity), Verdict::fail);
  EXPECT_EQ(pair(nan, infinity), Verdict::fail);
  EXPECT_EQ(pair(infinity, nan), Verdict::fail);
  EXPECT_EQ(pair(-infinity, infinity), Verdict::fail);
}

INSTANTIATE_TEST_SUITE_P(EachType, SvdHolds, testing::ValuesIn(all_dtypes()),
                         [](const auto& dtype) { return name_of(dtype.param); });

TEST(SvdSameBits, NameTheElementThatDiffers) {
  const SvdCase c = transposed(two_tall());
  const SvdRun good = good_run(c);
  SvdRun bad = good;
  bad.Vh[11] = std::nextafter(bad.Vh[11], 9.0);
  EXPECT_THAT(same_bits(c, good, bad, "differs").explanation, HasSubstr("Vh[b=1, k=1, j=2]: differs"));
  bad.U[6] = std::nextafter(bad.U[6], 9.0);
  EXPECT_THAT(same_bits(c, good, bad, "differs").explanation, HasSubstr("U[b=1, i=1, k=0]: differs"));
}

TEST(SvdOverflowed, IsThatOfTheLargestValue) {
  SvdRun run = good_run(two_tall());
  EXPECT_FALSE(overflowed(run, 1));
  run.S[2] = infinity;
  EXPECT_TRUE(overflowed(run, 1));
  EXPECT_FALSE(overflowed(run, 0));
  run.S[2] = nan;
  EXPECT_FALSE(overflowed(run, 1)) << "which excuses nothing";
  run.K = 0;
  EXPECT_FALSE(overflowed(run, 0));
}

}  // namespace
}  // namespace assay::validation
