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
  for (const BigFloat& element : truth.gradient) EXPECT_TRUE(is_nan(element));
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
    (other.*output).back() += BigFloat("2e-40");
    EXPECT_THROW(require_agreement(truth, other, 50), ReferenceDisagrees);
    EXPECT_THROW(require_agreement(other, truth, 50), ReferenceDisagrees);
    EXPECT_NO_THROW(require_agreement(truth, other, 49));
  }
}

/// 100 frames of 250 classes: large enough to be worth remembering.
TEST(TruthMemo, ComputesALargeCaseOnceForEachNumberOfDigits) {
  TruthMemo<CtcOperation> memo;
  CtcCase large = CtcOperation::sized_case(100, 250, 2, 1, 1);
  const auto first = memo.truth_of(large, 17);
  EXPECT_EQ(memo.truth_of(large, 17), first);
  EXPECT_NE(memo.truth_of(large, 18), first);
  EXPECT_EQ(first->loss[0], truth_of(large, 17).loss[0]);
  large.activations[0] = std::nextafter(large.activations[0], 9.0F);
  EXPECT_NE(memo.truth_of(large, 17), first) << "one bit makes it another case";
}

TEST(TruthMemo, ComputesSmallCasesAnew) {
  TruthMemo<CtcOperation> memo;
  const auto first = memo.truth_of(three_of_four_paths(), 30);
  EXPECT_NE(memo.truth_of(three_of_four_paths(), 30), first);
  EXPECT_EQ(memo.truth_of(three_of_four_paths(), 30)->loss[0], first->loss[0]);
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
