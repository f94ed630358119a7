// Comparison: a NaN, an infinity or a single wrong element must fail, whatever stands around it.
#include "validation/ctc/compare.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "tests/limits.h"
#include "tests/matchers.h"
#include "tests/validation/ctc/kernels.h"

namespace assay::validation {
namespace {

using tests::infinity;
using tests::nan;
constexpr double wide = std::numeric_limits<double>::infinity();
constexpr double no_bound = std::numeric_limits<double>::quiet_NaN();

struct Pair {
  float got;
  double expected;
  double bound;
  Verdict verdict;
};

const Pair pairs[] = {
    {1.0F, 1.0, 0, Verdict::pass},
    {1.5F, 1.0, 0.5, Verdict::pass},  // the bound itself still passes
    {0.5F, 1.0, 0.5, Verdict::pass},
    {-0.0F, 0.0, 0, Verdict::pass},
    {1.5F, 1.0, 0.4999, Verdict::fail},
    {1.0000001F, 1.0, 0, Verdict::fail},
    {0x1p-149F, 0.0, 0, Verdict::fail},
    {-1.0F, 1.0, 1.5, Verdict::fail},
    // A special that came where a number was due.
    {nan, 1.0, 0, Verdict::fail},
    {nan, 1.0, 1e300, Verdict::fail},
    {nan, 1.0, wide, Verdict::fail},
    {infinity, 1.0, 1e300, Verdict::fail},
    {-infinity, 1.0, 1e300, Verdict::fail},
    {infinity, 1.0, wide, Verdict::fail},
    // A special that was due.
    {nan, nan, 0, Verdict::pass},
    {infinity, infinity, 0, Verdict::pass},
    {-infinity, -infinity, 0, Verdict::pass},
    {1.0F, nan, 1e300, Verdict::fail},
    {1.0F, infinity, 1e300, Verdict::fail},
    {3.0e38F, infinity, wide, Verdict::fail},
    {infinity, nan, wide, Verdict::fail},
    {nan, infinity, wide, Verdict::fail},
    {-infinity, infinity, wide, Verdict::fail},
    {infinity, -infinity, wide, Verdict::fail},
    // A bound that is none.
    {1.0F, 1.0, no_bound, Verdict::fail},
    {1.5F, 1.0, no_bound, Verdict::fail},
    {1.5F, 1.0, -1, Verdict::fail},
};

std::string text(const Pair& pair) {
  return std::to_string(pair.got) + " for " + std::to_string(pair.expected) + " within " + std::to_string(pair.bound);
}

TEST(Comparison, AcceptsWithinTheBoundAndNothingElse) {
  for (const Pair& pair : pairs) {
    Comparison comparison;
    comparison.near({"gradient", 1, 2, 3}, pair.got, pair.expected, pair.bound);
    EXPECT_EQ(comparison.finding().verdict, pair.verdict) << text(pair);
    EXPECT_TRUE(comparison.anything());
  }
}

TEST(Comparison, AcceptsExactNumbersByTheSameRule) {
  for (const Pair& pair : pairs) {
    Comparison comparison;
    comparison.near({"gradient", 1, 2, 3}, pair.got, BigFloat(pair.expected), pair.bound);
    EXPECT_EQ(comparison.finding().verdict, pair.verdict) << text(pair);
  }
}

/// A float as a double is the same number, and the rule is the same.
/// A reference in long double is held to the same rule as the same numbers in BigFloat, to the last bit.
TEST(Comparison, TakesValuesOfAReferenceInLongDouble) {
  const auto finding_of = [](auto got, const ExactValues& exact, double bound) {
    Comparison comparison;
    comparison.near({"loss", -1, 1}, got, exact, 1, bound);
    return comparison.finding();
  };
  const auto same = [&](auto got, long double exact, double bound, Verdict verdict) {
    const Finding finding = finding_of(got, std::vector<long double>{7, exact}, bound);
    const Finding as_big_float = finding_of(got, std::vector<BigFloat>{BigFloat(7), exactly(exact)}, bound);
    EXPECT_EQ(finding.verdict, verdict) << got << ' ' << exact;
    EXPECT_EQ(finding.verdict, as_big_float.verdict);
    EXPECT_EQ(finding.explanation, as_big_float.explanation);
    EXPECT_EQ(finding.margin.place, as_big_float.margin.place);
    EXPECT_TRUE(finding.margin.share == as_big_float.margin.share || std::isnan(finding.margin.share));
  };
  for (const Pair& pair : pairs) {
    same(pair.got, pair.expected, pair.bound, pair.verdict);
    same(double{pair.got}, pair.expected, pair.bound, pair.verdict);
  }
  if (std::numeric_limits<long double>::digits < 64) return;
  same(1.0, 1 + 0x1p-60L, 0x1p-60, Verdict::pass);
  same(1.0, 1 + 0x1p-60L, 0x1p-61, Verdict::fail);
}

TEST(ExactValues, AreTheSameInEitherType) {
  const ExactValues values = std::vector<long double>{1.0L / 3, -2};
  ASSERT_EQ(values.size(), 2U);
  EXPECT_EQ(values[0], exactly(1.0L / 3));
  EXPECT_EQ(ExactValues(values.all())[1], BigFloat(-2));
  EXPECT_EQ(values.with(0, [](const auto& value) { return static_cast<double>(value); }), 1.0 / 3);
  EXPECT_EQ(ExactValues().size(), 0U);
}

TEST(Comparison, HoldsDoublesToTheSameRule) {
  for (const Pair& pair : pairs) {
    Comparison of_double, of_exact;
    of_double.near({"S", -1, 1}, double{pair.got}, pair.expected, pair.bound);
    of_exact.near({"S", -1, 1}, double{pair.got}, BigFloat(pair.expected), pair.bound);
    EXPECT_EQ(of_double.finding().verdict, pair.verdict) << text(pair);
    EXPECT_EQ(of_exact.finding().verdict, pair.verdict) << text(pair);
  }
}

TEST(Comparison, RoundsNoDoubleToFloat) {
  const auto held = [](double got, double expected, double bound) {
    Comparison of_double, of_exact;
    of_double.near({"S", -1, 1}, got, expected, bound);
    of_exact.near({"S", -1, 1}, got, BigFloat(expected), bound);
    EXPECT_EQ(of_double.finding().verdict, of_exact.finding().verdict);
    return of_double.finding();
  };
  EXPECT_EQ(held(1e300, 1e300, 0).verdict, Verdict::pass);
  EXPECT_EQ(held(1e-300, 1e-300, 0).verdict, Verdict::pass);
  EXPECT_EQ(held(1 + 0x1p-52, 1, 0x1p-52).verdict, Verdict::pass);
  EXPECT_EQ(held(1 + 0x1p-52, 1, 0x1p-53).verdict, Verdict::fail);
  EXPECT_EQ(held(2e-300, 1e-300, 0.9e-300).verdict, Verdict::fail);
  EXPECT_EQ(held(1e300, -1e300, 1e300).verdict, Verdict::fail);
  EXPECT_THAT(held(0.1, 0.5, 0).explanation, HasSubstr("got      0.1 (0x1.999999999999ap-4)"));
}

Judged judged(float got, double expected, double bound, double range) {
  Comparison comparison;
  comparison.near({"gradient", 1, 2, 3}, got, expected, bound, range);
  return comparison.finding().judged;
}

TEST(Comparison, JudgesWhatHasABoundBelowItsRange) {
  EXPECT_EQ(judged(1, 1, 0.5, 1).judged, 1);
  EXPECT_EQ(judged(1, 1, 0.5, 1).bound, 0.5);
  for (const double bound : {1.0, 6.1, wide, no_bound}) {
    EXPECT_EQ(judged(0, 1, bound, 1).elements, 1) << bound;
    EXPECT_EQ(judged(0, 1, bound, 1).judged, 0) << bound;
  }
  for (const double due : {nan, infinity, -infinity})
    EXPECT_EQ(judged(1, double{due}, wide, 1).judged, 1) << "of a special number the kind is judged";
}

/// A bound that judges nothing is still a bound.
TEST(Comparison, FailsBeyondABoundThatJudgesNothing) {
  for (const float got : {nan, infinity, -infinity, 9.0F, -7.0F}) {
    Comparison comparison;
    comparison.near({"loss", -1, 0}, 1.0F, 1.0, 6.1, 1);
    comparison.near({"loss", -1, 1}, got, 1.0, 6.1, 1);
    EXPECT_EQ(comparison.finding().verdict, Verdict::fail) << got;
    EXPECT_EQ(comparison.finding().margin.place, "loss[1]");
  }
}

TEST(Comparison, TakesItsMarginAndWhatItNoticesFromJudgedElements) {
  Comparison comparison;
  comparison.near({"gradient", 0, 0, 0}, 1.0F, 0.5, 1.0, 2);
  comparison.near({"gradient", 1, 0, 0}, 2.0F, 1.1, 1.0, 1);
  comparison.near({"gradient", 2, 0, 0}, 2.0F, 2.0, 1.0, 2);
  const Finding finding = comparison.finding();
  EXPECT_EQ(finding.margin.share, 0.5);
  EXPECT_EQ(finding.noticed->elements.count('t'), 1) << "t = 0 is smaller than its bound, t = 1 is not judged";
}

TEST(Comparison, MissesAnIndexOfWhichNoElementIsJudged) {
  Comparison comparison;
  for (int t = 0; t < 10; ++t)
    for (int k = 0; k < 3; ++k) comparison.near({"gradient", t, 0, k}, 0.0F, 0, k == 2 && t < 9 ? 2.0 : 0.5, 1);
  EXPECT_TRUE(comparison.finding().judged.suffices()) << "class 2 is judged in frame 9";
  comparison.near({"gradient", 10, 0, 0}, 0.0F, 0, 1, 1);
  EXPECT_FALSE(comparison.finding().judged.suffices()) << "frame 10";
  EXPECT_EQ(comparison.finding().verdict, Verdict::pass) << "the summary decides over all cases";
}

TEST(Comparison, MissesADecisiveElement) {
  Comparison comparison;
  comparison.near({"gradient", 0, 0, 0}, 0.0F, 0, 0.5, 1);
  comparison.must_judge('f', 0, 0.5, 1);
  EXPECT_TRUE(comparison.finding().judged.suffices());
  comparison.must_judge('f', 1, 1, 1);
  EXPECT_FALSE(comparison.finding().judged.suffices());
}

TEST(Comparison, CountsElementsThatAreRightBeyondTheLargestNumber) {
  Comparison comparison;
  EXPECT_TRUE(comparison.count({"dhidden", 0, 0}, 0.5, 1));
  EXPECT_FALSE(comparison.count({"dhidden", 0, 1}, 2, 1));
  EXPECT_EQ(comparison.finding().judged.elements, 2);
  EXPECT_EQ(comparison.finding().judged.judged, 1);
}

/// One element among a thousand that are right, at either end and in the middle.
TEST(Comparison, FailsForOneWrongElementAnywhere) {
  for (const int wrong : {0, 500, 999}) {
    for (const float got : {nan, infinity, -infinity, 2.0F}) {
      Comparison comparison;
      for (int i = 0; i < 1000; ++i) comparison.near({"loss", -1, i}, i == wrong ? got : 1.0F, 1.0, 1e-3);
      const Finding finding = comparison.finding();
      EXPECT_EQ(finding.verdict, Verdict::fail) << wrong << ' ' << got;
      EXPECT_THAT(finding.explanation, HasSubstr("loss[" + std::to_string(wrong) + "]"));
      EXPECT_EQ(finding.margin.place, "loss[" + std::to_string(wrong) + "]");
      EXPECT_FALSE(finding.margin.share <= 1);
    }
  }
}

TEST(Comparison, KeepsTheWorstMarginOfWhatPasses) {
  Comparison comparison;
  comparison.near({"gradient", 0, 0, 0}, 1.0F, 1.0, 0);
  comparison.near({"gradient", 0, 0, 1}, 1.5F, 1.0, 2.0);
  comparison.near({"gradient", 0, 0, 2}, 1.5F, 1.0, 1.0);
  comparison.near({"gradient", 0, 0, 3}, 1.5F, 1.0, 4.0);
  const Finding finding = comparison.finding();
  EXPECT_EQ(finding.verdict, Verdict::pass);
  EXPECT_EQ(finding.margin.share, 0.5);
  EXPECT_EQ(finding.margin.place, "gradient[t=0, b=0, k=2]");
}

TEST(Comparison, ShowsTheFirstFailureAndCountsTheOthers) {
  Comparison comparison;
  comparison.near({"loss", -1, 0}, 2.0F, 1.0, 0.25);
  for (int i = 1; i < 5; ++i) comparison.near({"loss", -1, i}, 9.0F, 1.0, 0.25);
  const auto text = comparison.finding().explanation;
  EXPECT_THAT(text, HasSubstr("loss[0]\n  expected 1 (0x1p+0)\n  got      2 (0x1p+1)\n"
                              "  error    1 where the bound is 0.25"));
  EXPECT_THAT(text, HasSubstr("and 4 more"));
}

TEST(Comparison, KeepsTheErrorOfTheWorstMargin) {
  Comparison comparison;
  comparison.near({"loss", -1, 0}, 2.0F, 1.0, 0.25);
  comparison.near({"loss", -1, 1}, 9.0F, 1.0, 4.0);
  EXPECT_EQ(comparison.finding().margin.error, 1);
}

/// No error is a share of a bound that is NaN, and a NaN has no error.
TEST(Comparison, SaysWhatIsNoNumber) {
  const auto failure = [](float got, double bound) {
    Comparison comparison;
    comparison.near({"loss", -1, 0}, got, 1.0, bound);
    EXPECT_EQ(comparison.finding().verdict, Verdict::fail);
    return comparison.finding().explanation;
  };
  EXPECT_THAT(failure(nan, 0.5), EndsWith("  got      nan where a finite number was due"));
  EXPECT_THAT(failure(nan, nan), EndsWith("due\n  no bound exists for this element: its derivation gives nan"));
  EXPECT_THAT(failure(2, nan), EndsWith("  error    1\n  no bound exists for this element: its derivation gives nan"));
}

TEST(Comparison, OfOneFailureSpeaksOfNoOthers) {
  Comparison comparison;
  comparison.near({"loss", -1, 0}, 2.0F, BigFloat(1), 0.25);
  EXPECT_THAT(comparison.finding().explanation, HasSubstr("error    1 = 4 x the bound 0.25"));
  EXPECT_THAT(comparison.finding().explanation, Not(HasSubstr("more")));
}

TEST(Comparison, TakesFailuresThatAreNotAboutANumber) {
  Comparison comparison;
  EXPECT_FALSE(comparison.anything());
  EXPECT_EQ(comparison.finding().verdict, Verdict::pass);
  comparison.fail("first");
  comparison.fail("second");
  EXPECT_EQ(comparison.finding().verdict, Verdict::fail);
  EXPECT_EQ(comparison.finding().explanation, "first\n  and 1 more");
}

TEST(SameBits, NameTheElementThatDiffers) {
  const CtcCase c = select_rows(three_of_four_paths(), {0, 0});
  const CtcRun first = run_kernel(*plain_ctc_kernel(), c);
  CtcRun second = first;
  second.gradient[7] = std::nextafter(second.gradient[7], 9.0F);
  EXPECT_THAT(same_bits(c, first, second, "differs").explanation, HasSubstr("gradient[t=1, b=1, k=1]: differs"));
}

TEST(SameBits, OfDoublesAreAllOfThemButForNaN) {
  const double payload = std::bit_cast<double>(0x7FF8000000000001U), quiet = std::numeric_limits<double>::quiet_NaN();
  const auto same = [](double a, double b) {
    Comparison comparison;
    comparison.same_bits({"S", -1, 1}, a, b, "differs");
    return !is_failure(comparison.finding().verdict);
  };
  for (const double x : {0.1, -0.0, 1e300, wide, quiet, payload}) EXPECT_TRUE(same(x, x)) << x;
  EXPECT_FALSE(same(0.1, std::nextafter(0.1, 1.0)));
  EXPECT_FALSE(same(0.0, -0.0));
  EXPECT_TRUE(same(quiet, payload)) << "all NaN count as one";
  EXPECT_FALSE(same(quiet, 1));
  EXPECT_FALSE(same(wide, -wide));
}

TEST(SameBits, TellZerosAndNansApart) {
  const CtcCase c = three_of_four_paths();
  CtcRun zero, minus_zero, quiet;
  zero.loss = {0.0F};
  minus_zero.loss = {-0.0F};
  quiet.loss = {nan};
  EXPECT_EQ(same_bits(c, zero, zero, "").verdict, Verdict::pass);
  EXPECT_EQ(same_bits(c, quiet, quiet, "").verdict, Verdict::pass);
  EXPECT_EQ(same_bits(c, zero, minus_zero, "").verdict, Verdict::fail);
  EXPECT_EQ(same_bits(c, zero, quiet, "").verdict, Verdict::fail);
}

/// The gradients of two runs, the second changed by `amount` at one element; and then made NaN there.
Verdict gradients_after(const CtcCase& c, std::size_t element, float amount, double slack) {
  const CtcBounds bounds(c, plain_ctc_kernel()->info());
  const CtcRun first = run_kernel(*plain_ctc_kernel(), c);
  CtcRun second = first;
  second.gradient[element] += amount;
  Comparison comparison;
  compare_gradients(comparison, c, bounds, second, first, slack);
  return comparison.finding().verdict;
}

TEST(CompareGradients, HoldsEachElementToItsBoundTimesTheSlack) {
  const CtcCase c = three_of_four_paths();
  const CtcBounds bounds(c, plain_ctc_kernel()->info());
  const auto bound = static_cast<float>(bounds.gradient(1, 0, 0));
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(gradients_after(c, i, 0.0F, 2), Verdict::pass);
    EXPECT_EQ(gradients_after(c, i, 1.5F * bound, 2), Verdict::pass);
    EXPECT_EQ(gradients_after(c, i, 3 * bound, 2), Verdict::fail);
    EXPECT_EQ(gradients_after(c, i, 3 * bound, 4), Verdict::pass);
    EXPECT_EQ(gradients_after(c, i, nan, 4), Verdict::fail);
  }
}

/// A path of one label in each frame, each 20 above all other classes, in arithmetic of few digits: most elements have
/// small bounds, and those of the path have none that is worth the name.
TEST(CompareGradient, JudgesNothingWhereTheElementsOfThePathAreNot) {
  CtcCase c;
  c.T = 523;
  c.B = 1;
  c.C = 64;
  c.input_lengths = {523};
  std::vector<std::int64_t> labels;
  for (std::int64_t s = 0; s < 520; ++s) labels.push_back(1 + s % 63);
  set_targets(c, {labels});
  c.activations.assign(static_cast<std::size_t>(c.T * c.C), 0.0F);
  for (std::int64_t t = 0; t < c.T; ++t) c.activation(t, 0, t < 520 ? 1 + t % 63 : 0) = 20;
  const CtcTruth truth = truth_of(c, 30);
  CtcRun run = run_kernel(*plain_ctc_kernel(), c);
  const auto judged_with = [&](double unit_roundoff) {
    CtcKernelInfo info = plain_ctc_kernel()->info();
    info.arithmetic = Arithmetic::log_space;
    info.unit_roundoff = unit_roundoff;
    Comparison comparison;
    compare_gradient(comparison, c, CtcBounds(c, info), run, truth);
    return comparison.finding();
  };
  EXPECT_TRUE(judged_with(0x1p-24).judged.suffices());
  EXPECT_EQ(judged_with(0x1p-24).judged.judged, c.T * c.C);
  EXPECT_FALSE(judged_with(0x1p-11).judged.suffices());
  for (std::int64_t t = 0; t < 520; ++t) run.gradient[static_cast<std::size_t>(t * c.C + 1 + t % 63)] = 1;
  EXPECT_EQ(judged_with(0x1p-24).verdict, Verdict::fail);
  EXPECT_FALSE(judged_with(0x1p-11).judged.suffices());
}

TEST(CompareGradients, HoldsRowsThatCannotBeAlignedToTheirKind) {
  const CtcCase c = too_few_frames();
  const CtcBounds bounds(c, plain_ctc_kernel()->info());
  const CtcRun nans = run_kernel(*plain_ctc_kernel(), c);
  CtcRun changed = nans;
  changed.gradient[2] = 0;
  Comparison alike;
  compare_gradients(alike, c, bounds, nans, nans, 2);
  EXPECT_EQ(alike.finding().verdict, Verdict::pass);
  Comparison unlike;
  compare_gradients(unlike, c, bounds, changed, nans, 2);
  EXPECT_EQ(unlike.finding().verdict, Verdict::fail);
  CtcRun zeros = nans;
  zeros.gradient.assign(4, 0.0F);
  changed.gradient = {0, 0, 0x1p-149F, 0};
  Comparison off_zero;
  compare_gradients(off_zero, c, bounds, changed, zeros, 2);
  EXPECT_EQ(off_zero.finding().verdict, Verdict::fail);
}

TEST(Place, IsNamedAsFarAsItIsKnown) {
  EXPECT_EQ((Place{"loss", -1, 4}).text(), "loss[4]");
  EXPECT_EQ((Place{"gradient", 1, 2, 3}).text(), "gradient[t=1, b=2, k=3]");
}

}  // namespace
}  // namespace assay::validation
