// The gradient's judge: one element that is NaN, infinite or off by little more than the bound fails, and so does a
// wrong account of what was left out.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "tests/limits.h"
#include "tests/matchers.h"
#include "tests/validation/svd/kernels.h"
#include "validation/svd/gradient_bounds.h"

namespace assay::validation {
namespace {

using metal::SvdCotangent;
using metal::SvdGradientNotes;

using tests::doubles::infinity;
using tests::doubles::nan;

/// The verdict on the plain gradient after `spoil(dA, bounds, notes)`.
template <class Spoil>
Finding judged(const std::string& property, const SvdCase& c, const Spoil& spoil) {
  const StubSvdKernel kernel({.gradient = [&](const SvdCotangent<double>& cotangent, std::span<double> dA) {
    SvdGradientNotes notes = plain_svd_kernel()->gradient(cotangent, dA);
    spoil(dA, gradient_bounds(cotangent), notes);
    return notes;
  }});
  return judge(svd_property_named(property), {kernel}, c);
}

class SvdGradient : public testing::TestWithParam<const char*> {};

TEST_P(SvdGradient, PassesAsItIs) {
  for (const bool wide : {false, true}) {
    const SvdCase c = wide ? transposed(two_tall()) : two_tall();
    const Finding finding = judged(GetParam(), c, [](auto&&...) {});
    EXPECT_EQ(finding.verdict, Verdict::pass) << finding.explanation;
    EXPECT_GT(finding.margin.share, 1e-4) << "or the bound would be slack";
  }
}

TEST_P(SvdGradient, FailsForOneWrongElementAnywhere) {
  const SvdCase c = select_matrix(two_tall(), 0);
  for (std::size_t i = 0; i < 6; ++i) {
    for (const double wrong : {nan, infinity, -infinity, 1e300}) {
      const Finding finding = judged(GetParam(), c, [&](const auto& dA, const auto&, auto&) { dA[i] = wrong; });
      EXPECT_EQ(finding.verdict, Verdict::fail) << i << ' ' << wrong;
      EXPECT_THAT(finding.explanation, HasSubstr("dA[b=0, i=" + std::to_string(i / 2)));
    }
    const auto off_by = [&](double bounds) {
      return judged(GetParam(), c, [&](const auto& dA, const auto& bound, auto&) { dA[i] += bounds * bound[i]; })
          .verdict;
    };
    EXPECT_EQ(off_by(0.5), Verdict::pass);
    EXPECT_EQ(off_by(1.6), Verdict::fail);
    EXPECT_EQ(off_by(-1.6), Verdict::fail);
  }
}

TEST_P(SvdGradient, FailsForAWriteBesideItsOutputAndForNoneAtAll) {
  const Finding beside = judged(GetParam(), exchange(), [](const auto& dA, const auto&, auto&) { dA.data()[4] = 0; });
  EXPECT_EQ(beside.verdict, Verdict::fail);
  EXPECT_THAT(beside.explanation, HasSubstr("wrote dA[4], past its 4 elements"));
  const StubSvdKernel writes_nothing({.gradient = [](const auto&, auto) { return SvdGradientNotes{}; }});
  const SvdCase zero{1, 1, 1, Dtype::float32, {0}};  // whose gradient is 0
  EXPECT_TRUE(is_failure(judge(svd_property_named(GetParam()), {writes_nothing}, zero).verdict));
}

/// The second matrix of a batch as well as the first.
TEST_P(SvdGradient, JudgesEveryMatrix) {
  int calls = 0;
  const Finding finding = judged(GetParam(), two_tall(), [&](const auto& dA, const auto&, auto&) {
    if (++calls == 2) dA[5] = nan;
  });
  EXPECT_EQ(calls, 2);
  EXPECT_EQ(finding.verdict, Verdict::fail);
  EXPECT_THAT(finding.explanation, HasSubstr("dA[b=1, i=2, j=1]"));
}

INSTANTIATE_TEST_SUITE_P(Each, SvdGradient, testing::Values("gradient", "gradient-ties"),
                         [](const auto& property) { return test_name(property.param); });

/// The largest value and two of half its size, or none of it.
TEST(SvdGradientTies, WantAnAccountOfWhatWasLeftOut) {
  for (const SvdCase& c : {SvdCase{1, 3, 3, Dtype::float32, {4, 0, 0, 0, 2, 0, 0, 0, 2}},
                           SvdCase{1, 3, 3, Dtype::float32, {4, 0, 0, 0, 0, 0, 0, 0, 0}}}) {
    EXPECT_EQ(judged("gradient-ties", c, [](auto&&...) {}).verdict, Verdict::pass);
    const auto miscounted = [&](std::int64_t equal, std::int64_t zero) {
      return judged("gradient-ties", c, [&](const auto&, const auto&, auto& notes) {
        EXPECT_EQ(notes.equal_values, 1);
        notes.equal_values += equal;
        notes.zero_values += zero;
      });
    };
    EXPECT_EQ(miscounted(1, 0).verdict, Verdict::fail);
    EXPECT_EQ(miscounted(-1, 0).verdict, Verdict::fail);
    EXPECT_EQ(miscounted(0, 1).verdict, Verdict::fail);
    EXPECT_THAT(miscounted(0, 1).explanation, HasSubstr("equal and"));
  }
}

/// One column, one row: the formula has one term, and a hand can follow the sum of sizes.
TEST(SvdGradientBounds, AreThoseOfAHand) {
  const std::vector<double> U = {1}, S = {2}, Vh = {-1}, dU = {3}, dS = {-5}, dVh = {7};
  const std::vector<double> bounds = gradient_bounds({1, 1, 1, U, S, Vh, dU, dS, dVh});
  // |dS| + (|dU| + |P|) / s + (|dVh| + |Q|) / s with |P| = 3, |Q| = 7, over M + N + 3 K + 16 operations
  ASSERT_EQ(bounds.size(), 1U);
  EXPECT_NEAR(bounds[0] / 0x1p-53, 21 * (5 + 3 + 7), 1e-9);
}

TEST(SvdGradientBounds, AreFiniteWhereValuesAreEqualOrZero) {
  const std::vector<double> ones = {1, 0.5, 0.5, 1};
  for (const std::vector<double>& S : {std::vector<double>{1, 1}, {1, 0}, {0, 0}})
    EXPECT_THAT(gradient_bounds({1, 2, 2, ones, S, ones, ones, S, ones}), Each(testing::Lt(1e-12)));
  EXPECT_THAT(gradient_bounds({1, 2, 2, ones, ones, ones, {}, {}, {}}), Each(testing::Le(0x1p-1022)))
      << "of no derivative the gradient is 0";
}

}  // namespace
}  // namespace assay::validation
