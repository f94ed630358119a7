// The judge's own values: right where a hand can check them, and not believed where two precisions differ.
#include "validation/cce/truth.h"

#include <gtest/gtest.h>

#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/limits.h"
#include "tests/matchers.h"
#include "tests/validation/cce/kernels.h"
#include "validation/cce/bounds.h"
#include "validation/cce/operation.h"
#include "validation/cce/same_tokens.h"
#include "validation/core/number.h"

namespace assay::validation {
namespace {

using tests::doubles::infinity;
using tests::doubles::nan;

void expect_equal(const ExactValues& got, const std::vector<double>& expected) {
  ASSERT_EQ(got.size(), expected.size());
  for (std::size_t i = 0; i < got.size(); ++i)
    EXPECT_LT(absolute_difference(got[i], BigFloat(expected[i])), 1e-49) << i;
}

TEST(CceTruth, IsThatOfAHandCountedCase) {
  const CceTruth truth = truth_of(two_entries(), 50);
  const BigFloat ln2("0.69314718055994530941723212145817656807550013436025525412068");
  ASSERT_EQ(truth.loss.size(), 1U);
  EXPECT_LT(absolute_difference(truth.loss[0], ln2), 1e-50);
  expect_equal(truth.dhidden, {1, 0});
  expect_equal(truth.dweight, {0, 1, 0, -1});
  expect_equal(truth.dbias, {0.5, -0.5});
}

/// Smoothed by 1/2, each entry is aimed at with 3/4 and 1/4; loss and gradient have the weights 4 and 1/2, two tokens
/// of them.
TEST(CceTruth, IsThatOfAHandWithOptions) {
  CceCase c = select_tokens(two_entries(), {0, 0});
  c.label_smoothing = 0.5;
  c.reduction = Reduction::mean;
  c.upstream = {4};
  const CceTruth truth = truth_of(c, 50);
  const BigFloat ln2("0.69314718055994530941723212145817656807550013436025525412068");
  ASSERT_EQ(truth.loss.size(), 1U);
  EXPECT_LT(absolute_difference(truth.loss[0], ln2), 1e-50) << "what comes from above is not in the loss";
  expect_equal(truth.dbias, {1, -1});
  expect_equal(truth.dhidden, {1, 0, 1, 0});
}

/// An upstream gradient of ones changes nothing but that each token is computed by itself.
TEST(CceTruth, OfTokensThatComeAgainIsThatOfEachByItself) {
  CceCase c = select_tokens(CceOperation::sized_case(3, 4, 6, 1, Dtype::float32, 1), {0, 1, 2, 1, 0, 1, 1});
  c.targets[2] = c.ignore_index;
  CceCase each = c;
  each.upstream.assign(7, 1);
  const CceTruth truth = truth_of(c, 50), expected = truth_of(each, 50);
  const auto expect_same = [](const ExactValues& got, const ExactValues& by_itself) {
    ASSERT_EQ(got.size(), by_itself.size());
    for (std::size_t i = 0; i < got.size(); ++i) EXPECT_LT(absolute_difference(got[i], by_itself[i]), 1e-48) << i;
  };
  expect_same(truth.loss, expected.loss);
  expect_same(truth.dhidden, expected.dhidden);
  expect_same(truth.dweight, expected.dweight);
  expect_same(truth.dbias, expected.dbias);
  const CceBounds bounds(c, plain_cce_kernel()->info()), of_each(each, plain_cce_kernel()->info());
  for (std::size_t i = 0; i < c.hidden.size(); ++i) EXPECT_EQ(bounds.dhidden(i, 0), of_each.dhidden(i, 0)) << i;
  for (std::size_t i = 0; i < c.weight.size(); ++i) {
    EXPECT_NEAR(bounds.dweight(i, 0) / of_each.dweight(i, 0), 1, 1e-12) << i;
    EXPECT_NEAR(bounds.dweight_range(i) / of_each.dweight_range(i), 1, 1e-12) << i;
  }
}

TEST(SameTokens, AreFoundWhereNothingElseTellsThemApart) {
  CceCase c = select_tokens(CceOperation::sized_case(3, 4, 6, 1, Dtype::float32, 1), {0, 1, 2, 1, 0, 1, 1});
  EXPECT_THAT(first_same_tokens(c), ElementsAre(0, 1, 2, 1, 0, 1, 1));
  EXPECT_THAT(counts_of(first_same_tokens(c)), ElementsAre(2, 4, 1, 0, 0, 0, 0));
  c.targets[3] = (c.targets[3] + 1) % c.V;
  c.hidden_at(4, 3) += 1;
  c.targets[5] = c.ignore_index;
  EXPECT_THAT(first_same_tokens(c), ElementsAre(0, 1, 2, 3, 4, 5, 1));
  c.reduction = Reduction::sum;
  EXPECT_THAT(first_same_tokens(c), ElementsAre(0, 1, 2, 3, 4, 5, 6));
}

TEST(CceTruth, OfAnIgnoredTokenIsZeroAndOfAWordTakenOutInfinite) {
  CceCase c = three_tokens();
  c.bias[3] = -std::numeric_limits<float>::infinity();
  const CceTruth truth = truth_of(c, 50);
  EXPECT_TRUE(same_kind(truth.loss[0], BigFloat(infinity)));
  EXPECT_EQ(truth.loss[1], BigFloat(0));
  EXPECT_EQ(truth.dhidden[2], BigFloat(0));
  EXPECT_TRUE(is_finite(truth.loss[2]));
  for (const BigFloat& element : truth.dweight.all()) EXPECT_TRUE(is_finite(element));
}

TEST(CceTruth, RefusesACaseThatIsNone) {
  CceCase c = two_entries();
  c.targets[0] = 2;
  EXPECT_THROW(truth_of(c, 50), std::invalid_argument);
}

TEST(CceTruth, AgreesWithItselfAtAnyNumberOfDigits) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const CceCase c = generated_cce(seed, {.many_entries = 0, .many_tokens = 0});
    EXPECT_NO_THROW(require_agreement(truth_of(c, 30), truth_of(c, 80), 30)) << seed;
  }
}

/// At 50 digits 1e-40 is forgiven of a number up to 1, and that share of a larger one.
TEST(CceTruth, IsMistrustedWhereTwoPrecisionsDiffer) {
  const auto differ = [](double size, const char* by) {
    const std::vector<BigFloat> low = {BigFloat(0), BigFloat(size)};
    std::vector<BigFloat> high = low;
    high[1] += BigFloat(by);
    try {
      require_same(low, high, 50, "dweight");
    } catch (const ReferenceDisagrees& disagreement) {
      return std::string(disagreement.what());
    }
    return std::string();
  };
  EXPECT_EQ(differ(0.5, "5e-41"), "");
  EXPECT_THAT(differ(0.5, "2e-40"), HasSubstr("dweight[1] at 50 and 70 digits: 0.5"));
  EXPECT_NE(differ(0.5, "-2e-40"), "");
  EXPECT_EQ(differ(1000, "5e-38"), "");
  EXPECT_NE(differ(1000, "2e-37"), "");
}

TEST(CceTruth, IsMistrustedForOneElementOfAnyOutput) {
  const CceTruth truth = truth_of(two_entries(), 50);
  EXPECT_NO_THROW(require_agreement(truth, truth, 50));
  for (const auto output : {&CceTruth::loss, &CceTruth::dhidden, &CceTruth::dweight, &CceTruth::dbias}) {
    CceTruth other = truth;
    auto values = (other.*output).all();
    values.back() += BigFloat("2e-40");
    other.*output = values;
    EXPECT_THROW(require_agreement(truth, other, 50), ReferenceDisagrees);
    EXPECT_THROW(require_agreement(other, truth, 50), ReferenceDisagrees);
  }
}

TEST(CceTruth, IsMistrustedWhereKindsDiffer) {
  for (const double low : {1.0, infinity, -infinity, nan}) {
    for (const double high : {1.0, infinity, -infinity, nan}) {
      const std::vector<BigFloat> a = {BigFloat(low)}, b = {BigFloat(high)};
      const bool alike = low == high || (low != low && high != high);
      if (alike) {
        EXPECT_NO_THROW(require_same(a, b, 50, "loss")) << low << ' ' << high;
      } else {
        EXPECT_THROW(require_same(a, b, 50, "loss"), ReferenceDisagrees) << low << ' ' << high;
      }
    }
  }
}

TEST(CceTruthMemo, ComputesACaseOnceForEachNumberOfDigits) {
  TruthMemo<CceOperation> memo;
  const auto first = memo.truth_of(two_entries(), 30);
  EXPECT_EQ(memo.truth_of(two_entries(), 30), first);
  EXPECT_NE(memo.truth_of(two_entries(), 31), first);
}

}  // namespace
}  // namespace assay::validation
