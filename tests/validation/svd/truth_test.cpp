// The judge's own values: right where a hand can check them, and not believed where they are not certain.
#include "validation/svd/truth.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <vector>

#include "tests/limits.h"
#include "tests/validation/svd/kernels.h"
#include "validation/core/number.h"
#include "validation/svd/operation.h"

namespace assay::validation {
namespace {

using tests::doubles::infinity;

const char* const root_of_3 = "1.7320508075688772935274463415058723669428052538103806280558";

void expect_values(const SvdMatrixTruth& truth, const std::vector<BigFloat>& expected) {
  ASSERT_EQ(truth.factors.S.size(), expected.size());
  for (std::size_t k = 0; k < expected.size(); ++k)
    EXPECT_LT(absolute_difference(truth.factors.S[k], expected[k]), 1e-48) << k;
}

TEST(SvdTruth, IsThatOfAHandCountedBatch) {
  for (const bool wide : {false, true}) {
    const SvdTruth truth = truth_of(wide ? transposed(two_tall()) : two_tall(), 50);
    ASSERT_EQ(truth.matrices.size(), 2U);
    expect_values(*truth.matrices[1], {BigFloat(root_of_3), BigFloat(1)});
    EXPECT_EQ(truth.matrices[1]->factors.U.rows(), wide ? 2 : 3);
    EXPECT_EQ(truth.matrices[1]->factors.Vh.cols(), wide ? 3 : 2);
  }
  expect_values(*truth_of(exchange(), 50).matrices[0], {BigFloat(2), BigFloat(1)});
}

TEST(SvdTruth, OfMatricesWithoutFullRank) {
  const SvdTruth truth = truth_of(SvdCase{2, 2, 2, Dtype::float32, {1, 2, 2, 4, 0, 0, 0, 0}}, 50);
  expect_values(*truth.matrices[0], {BigFloat(5), BigFloat(0)});
  expect_values(*truth.matrices[1], {BigFloat(0), BigFloat(0)});
  EXPECT_TRUE(truth_of(SvdCase{}, 50).matrices.empty());
}

TEST(SvdTruth, KnowsTheConditionOfScaledColumns) {
  const auto condition = [](const SvdCase& c) { return truth_of(c, 30).matrices[0]->scaled_condition; };
  EXPECT_NEAR(condition({1, 2, 2, Dtype::float64, {1e-200, 0, 0, 1e200}}), std::sqrt(2), 1e-9) << "orthogonal";
  // Columns of norm 1 whose product is x have sigma_min = sqrt(1 - x): here 1 / sqrt(2), once graded.
  const SvdCase tall{1, 2, 2, Dtype::float64, {1, 1e-9, 0, 1e-9}};
  EXPECT_NEAR(condition(tall), std::sqrt(2 / (1 - std::sqrt(0.5))), 1e-8);
  EXPECT_NEAR(condition(transposed(tall)), condition({1, 2, 2, Dtype::float64, {1, 0, 1e-9, 1e-9}}), 0)
      << "a square matrix is scaled by columns";
  const SvdCase wide{1, 2, 3, Dtype::float64, {1, 0, 0, 1e-9, 1e-9, 0}};
  EXPECT_NEAR(condition(wide), condition(tall), 1e-8) << "and a wide one by rows";
  EXPECT_EQ(condition({1, 2, 2, Dtype::float64, {1, 0, 2, 0}}), infinity) << "a column of zeros";
  EXPECT_GT(condition({1, 2, 2, Dtype::float64, {1, 2, 2, 4}}), 1e12) << "one column twice";
}

/// Thousands of matrices of which few are different cost as much as those few.
TEST(SvdTruth, IsComputedOnceForMatricesThatRepeat) {
  const SvdTruth truth = truth_of(SvdOperation::needle("B", 3 * needle_period), 50);
  for (std::size_t b = needle_period; b < truth.matrices.size(); ++b)
    EXPECT_EQ(truth.matrices[b], truth.matrices[b - needle_period]) << b;
  EXPECT_NE(truth.matrices[0], truth.matrices[1]);
}

/// Large matrices are decomposed in long double, unless the user asks for more digits.
TEST(SvdTruth, OfALargeMatrixInLongDoubleIsThatOfManyDigits) {
  const SvdCase c = SvdOperation::sized_case(1, 137, 139, 0, Dtype::float32, 1);
  const auto nearly = truth_of(c, default_digits).matrices[0], exact = truth_of(c, default_digits + 1).matrices[0];
  const double largest = to_double(exact->factors.S[0]);
  double worst = 0;
  for (std::size_t k = 0; k < exact->factors.S.size(); ++k)
    worst = std::max(worst, absolute_difference(nearly->factors.S[k], exact->factors.S[k]) / largest);
  EXPECT_LT(worst, 137 * 0x1p-64);
  EXPECT_GT(worst, 0) << "that would be many digits again";
  EXPECT_EQ(nearly->factors.U.rows(), 137);
  EXPECT_EQ(nearly->factors.Vh.cols(), 139);
}

TEST(SvdTruth, RefusesACaseThatIsNone) {
  SvdCase c = exchange();
  c.A[3] = infinity;
  EXPECT_THROW(truth_of(c, 50), std::invalid_argument);
}

TEST(SvdTruth, IsCertainOfGeneratedCasesAtAnyNumberOfDigits) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const SvdCase c = generated_svd(seed, {.large = 0});
    const SvdTruth low = truth_of(c, 30), high = truth_of(c, 60);
    for (std::int64_t b = 0; b < c.B; ++b) {
      const auto& S = low.matrices[static_cast<std::size_t>(b)]->factors.S;
      for (std::size_t k = 0; k < S.size(); ++k)
        EXPECT_LE(absolute_difference(S[k], high.matrices[static_cast<std::size_t>(b)]->factors.S[k]),
                  1e-20 * to_double(S[0]))
            << "seed " << seed;
    }
  }
}

/// At 50 digits a part in 10^40 of the largest is forgiven, of any of them.
TEST(SvdTruth, IsMistrustedForOneValueThatIsOff) {
  const SvdCase c = two_tall();
  const SvdTruth truth = truth_of(c, 50);
  const auto moved = [&](std::size_t k, const char* by) {
    auto factors = truth.matrices[1]->factors;
    factors.S[k] += BigFloat(by);
    require_certain(c, 1, factors, 50);
  };
  EXPECT_NO_THROW(moved(0, "0"));
  EXPECT_NO_THROW(moved(0, "1e-42"));
  for (const std::size_t k : {0U, 1U}) {
    for (const char* by : {"1e-38", "-1e-38", "1e-20", "0.5", "-0.5", "inf"})
      EXPECT_THROW(moved(k, k == 1 && by[0] == 'i' ? "-0.5" : by), ReferenceDisagrees) << k << ' ' << by;
  }
}

TEST(SvdTruth, OfAnotherMatrixIsMistrusted) {
  const SvdCase c = two_tall();
  const SvdTruth truth = truth_of(c, 50);
  EXPECT_THROW(require_certain(c, 0, truth.matrices[1]->factors, 50), ReferenceDisagrees);
}

/// What is not certain is no fault of the kernel: neither a pass nor a failure.
TEST(SvdTruth, ThatIsMistrustedJudgesNobody) {
  const SvdProperty uncertain{"uncertain", "", {}, [](const SvdContext& context, const SvdCase& c) {
                                auto factors = context.truth_of(c)->matrices[0]->factors;
                                factors.S[0] += BigFloat("1e-30");
                                require_certain(c, 0, factors, context.digits);
                                return Finding::pass();
                              }};
  const Finding finding = judge(uncertain, {*plain_svd_kernel()}, exchange());
  EXPECT_EQ(finding.verdict, Verdict::mistrusted);
  EXPECT_NE(finding.explanation.find("the reference is not certain: S[b=0, k="), std::string::npos)
      << finding.explanation;
}

TEST(SvdTruthMemo, ComputesACaseOnceForEachNumberOfDigits) {
  TruthMemo<SvdOperation> memo;
  const auto first = memo.truth_of(exchange(), 30);
  EXPECT_EQ(memo.truth_of(exchange(), 30), first);
  EXPECT_NE(memo.truth_of(exchange(), 31), first);
}

}  // namespace
}  // namespace assay::validation
