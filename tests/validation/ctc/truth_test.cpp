// The judge's own values: right where a hand can check them, and not believed where two precisions differ.
#include "validation/ctc/truth.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

#include "tests/limits.h"
#include "tests/matchers.h"
#include "tests/validation/ctc/kernels.h"
#include "validation/core/number.h"
#include "validation/ctc/operation.h"

namespace assay::validation {
namespace {

using tests::doubles::infinity;
using tests::doubles::nan;

TEST(Truth, IsThatOfAHandCountedCase) {
  const CtcTruth truth = truth_of(three_of_four_paths(), 50);
  EXPECT_TRUE(truth.rows[0].possible);
  const BigFloat loss("0.28768207245178092743921900599382743150350971089776105650666569");  // ln 4/3
  EXPECT_LT(absolute_difference(truth.loss[0], loss), 1e-50);
  BigFloat sixth(1);
  sixth /= BigFloat(6);
  for (const std::size_t blank : {0U, 2U}) EXPECT_LT(absolute_difference(truth.gradient[blank], sixth), 1e-49);
  for (const std::size_t label : {1U, 3U}) EXPECT_LT(absolute_difference(truth.gradient[label], -sixth), 1e-49);
}

TEST(Truth, IsInfiniteAndNanWhereNoAlignmentFits) {
  CtcCase c = too_few_frames();
  const CtcTruth truth = truth_of(c, 50);
  EXPECT_TRUE(same_kind(truth.loss[0], BigFloat(infinity)));
  for (const BigFloat& element : truth.gradient.all()) EXPECT_TRUE(is_nan(element));
  c.zero_infinity = true;
  EXPECT_EQ(truth_of(c, 50).loss[0], BigFloat(0));
  EXPECT_EQ(truth_of(c, 50).gradient[3], BigFloat(0));
}

TEST(Truth, AgreesWithItselfAtAnyNumberOfDigits) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    Random random(seed);
    const CtcCase c = CtcOperation::generate(random, 20, {.long_rows = 0});
    const CtcTruth some = truth_of(c, 30);
    const CtcTruth more = truth_of(c, 80);
    EXPECT_NO_THROW(require_agreement(some, more, 30)) << seed;
  }
}

TEST(Truth, RefusesACaseThatIsNone) {
  CtcCase c = three_of_four_paths();
  c.targets[0] = 5;
  EXPECT_THROW(truth_of(c, 50), std::invalid_argument);
}

TEST(Truth, IsMistrustedForOneElementOfAnyOutput) {
  const CtcTruth truth = truth_of(three_of_four_paths(), 50);
  EXPECT_NO_THROW(require_agreement(truth, truth, 50));
  for (const auto output : {&CtcTruth::loss, &CtcTruth::gradient}) {
    CtcTruth other = truth;
    auto values = (other.*output).all();
    values.back() += BigFloat("2e-40");
    other.*output = values;
    EXPECT_THROW(require_agreement(truth, other, 50), ReferenceDisagrees);
    EXPECT_THROW(require_agreement(other, truth, 50), ReferenceDisagrees);
    EXPECT_NO_THROW(require_agreement(truth, other, 49));
  }
}

TEST(TruthMemo, ComputesACaseOnceForEachNumberOfDigits) {
  TruthMemo<CtcOperation> memo;
  CtcCase c = three_of_four_paths();
  const auto first = memo.truth_of(c, 30);
  EXPECT_EQ(memo.truth_of(c, 30), first);
  EXPECT_NE(memo.truth_of(c, 31), first);
  EXPECT_EQ(first->loss[0], truth_of(c, 30).loss[0]);
  c.activations[0] = std::nextafter(c.activations[0], 9.0F);
  EXPECT_NE(memo.truth_of(c, 30), first) << "one bit makes it another case";
}

/// Each number of digits is another truth, of about 1,400 bytes with its case up to 96 digits.
std::shared_ptr<const CtcTruth> truth_in(TruthMemo<CtcOperation>& memo, int digits) {
  return memo.truth_of(three_of_four_paths(), digits);
}

TEST(TruthMemo, ForgetsWhatWasNotUsedForLongestWhereItHasTooMany) {
  TruthMemo<CtcOperation> memo(10'000);
  const auto first = truth_in(memo, 30), second = truth_in(memo, 31);
  EXPECT_EQ(truth_in(memo, 30), first);
  for (int digits = 40; digits < 46; ++digits) truth_in(memo, digits);
  EXPECT_EQ(truth_in(memo, 30), first);
  EXPECT_NE(truth_in(memo, 31), second);
}

TEST(TruthMemo, KeepsNoTruthThatIsTooLarge) {
  TruthMemo<CtcOperation> memo(2'000);
  const auto small = truth_in(memo, 30);
  const auto large = truth_in(memo, 5000);
  EXPECT_NE(truth_in(memo, 5000), large);
  EXPECT_EQ(truth_in(memo, 30), small);
}

/// What judge() makes of the exceptions of a property.
template <class Exception>
Finding judged(const Exception& exception) {
  const CtcProperty property{"throws", "", {}, [&](const CtcContext&, const CtcCase&) -> Finding { throw exception; }};
  return judge(property, {*plain_ctc_kernel()}, three_of_four_paths());
}

TEST(Judge, MistrustsAReferenceThatDisagrees) {
  const Finding finding = judged(ReferenceDisagrees("loss[0] at 50 and 70 digits"));
  EXPECT_EQ(finding.verdict, Verdict::mistrusted);
  EXPECT_THAT(finding.explanation, HasSubstr("loss[0] at 50 and 70 digits"));
}

TEST(Judge, CallsEveryOtherExceptionAnError) {
  for (const Finding& finding :
       {judged(std::runtime_error("out of luck")), judged(std::invalid_argument("out of luck")),
        judged(std::logic_error("out of luck"))}) {
    EXPECT_EQ(finding.verdict, Verdict::error);
    EXPECT_THAT(finding.explanation, HasSubstr("out of luck"));
  }
}

}  // namespace
}  // namespace assay::validation
