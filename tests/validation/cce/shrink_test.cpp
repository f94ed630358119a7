// Shrinking: each step leads to a valid problem that is another one, and a fault's case becomes one that fits on a
// line.
#include "validation/cce/shrink.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <optional>
#include <ostream>
#include <string>

#include "tests/validation/cce/kernels.h"
#include "validation/core/search.h"

namespace assay::validation {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr float infinity = std::numeric_limits<float>::infinity();

TEST(CceShrink, StepsToValidAndDifferentProblems) {
  int taken = 0;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const CceCase c = generated_cce(seed, {.minus_infinity = 0.5, .many_entries = 0.02});
    for (const auto& step : shrinks_of(c)) {
      const auto smaller = step();
      if (!smaller) continue;
      ++taken;
      EXPECT_FALSE(*smaller == c);
      EXPECT_NO_THROW(require_valid(*smaller));
      EXPECT_LE(smaller->N, c.N);
      EXPECT_LE(smaller->H, c.H);
      EXPECT_LE(smaller->V, c.V);
      ASSERT_FALSE(HasFailure()) << "seed " << seed;
    }
  }
  EXPECT_GT(taken, 2000);
}

/// The first step of `c` that leads anywhere `wanted` holds, if there is one.
std::optional<CceCase> next(const CceCase& c, const std::function<bool(const CceCase&)>& wanted) {
  for (const auto& step : shrinks_of(c)) {
    if (auto smaller = step(); smaller && wanted(*smaller)) return smaller;
  }
  return std::nullopt;
}

int steps_to_the_end(CceCase& c, const std::function<bool(const CceCase&)>& wanted) {
  int steps = 0;
  for (auto smaller = next(c, wanted); smaller && steps < 10'000; smaller = next(c, wanted)) {
    c = *smaller;
    ++steps;
  }
  return steps;
}

TEST(CceShrink, EndsInTheSmallestProblemWhereAnythingWillDo) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    CceCase c = generated_cce(seed);
    EXPECT_LT(steps_to_the_end(c, [](const CceCase&) { return true; }), 100) << "seed " << seed;
    EXPECT_EQ(c.N, 0);
    EXPECT_EQ(c.H, 1);
    EXPECT_EQ(c.V, 1);
    EXPECT_EQ(c.dtype, Dtype::float32);
    EXPECT_EQ(c.reduction, Reduction::none);
    EXPECT_THAT(c.bias, IsEmpty());
    EXPECT_THAT(c.upstream, IsEmpty());
    EXPECT_THAT(c.weight, ElementsAre(0));
    EXPECT_EQ(c.logit_softcap, 0);
    EXPECT_EQ(c.label_smoothing, 0);
    EXPECT_EQ(c.z_loss, 0);
  }
}

/// Where structure may not shrink, values do, and they too come to an end.
TEST(CceShrink, OfValuesAloneEnds) {
  int moved = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    CceCase c = generated_cce(seed, {.many_entries = 0});
    const CceCase start = c;
    const auto same_structure = [&](const CceCase& d) {
      return d.N == start.N && d.H == start.H && d.V == start.V && d.bias.size() == start.bias.size() &&
             d.weight.back() != 0;
    };
    const int steps = steps_to_the_end(c, same_structure);
    EXPECT_LT(steps, 2'000) << "seed " << seed;
    moved += steps > 0 ? 1 : 0;
  }
  EXPECT_GT(moved, 30);
}

/// What has to stay is given in few bits.
TEST(CceShrink, RoundsValues) {
  CceCase c = two_entries();
  c.hidden = {0.123456F, 0.7654321F};
  c.weight = {-17.1234F, 1e-30F, 3, 0};
  c.bias = {-infinity, 0.3F};
  const auto kept = [](const CceCase& d) {
    return d.H == 2 && d.V == 2 && d.N == 1 && d.hidden[1] > 0.6F && d.weight[0] < -3;
  };
  steps_to_the_end(c, kept);
  EXPECT_THAT(c.hidden, ElementsAre(0, 1));
  EXPECT_THAT(c.weight, ElementsAre(-4, 0, 0, 0));
  EXPECT_THAT(c.bias, IsEmpty());
}

TEST(CceShrink, TriesTheBoldestFirst) {
  const auto first = shrinks_of(three_tokens()).front()();
  ASSERT_TRUE(first.has_value());
  EXPECT_EQ(first->N, 1);
}

/// Neither the word of a target nor the last one of finite bias is left out.
TEST(CceShrink, KeepsTheWordsThatAProblemNeeds) {
  CceCase c = three_tokens();
  c.targets = {3, -100, 3};
  steps_to_the_end(c, [](const CceCase& d) { return d.N == 3; });
  EXPECT_EQ(c.V, 1) << "the target alone";
  c = select_tokens(three_tokens(), {1});
  c.bias = {-infinity, 0.5F, -infinity, -infinity};
  steps_to_the_end(c, [](const CceCase& d) { return d.bias.size() > 1 && d.bias[0] == -infinity; });
  EXPECT_EQ(c.V, 2);
  EXPECT_TRUE(std::isfinite(c.bias[1]));
}

/// How small a fault's counterexample becomes: what a person who reads a report has to look at.
struct Small {
  const char* fault;
  std::int64_t tokens;
  std::int64_t words;
};

void PrintTo(const Small& small, std::ostream* out) {
  *out << small.fault;
}

class ShrunkCceFault : public testing::TestWithParam<Small> {};

TEST_P(ShrunkCceFault, IsSmall) {
  const CceFault& fault = cce_fault_named(GetParam().fault);
  const CceProperty& property = cce_property_named(fault.caught_by);
  const auto found = search<CceOperation>(property.profile, 200, 1, 2000,
                                          [&](const CceCase& c) { return judge(property, {*fault.kernel, 40}, c); });
  ASSERT_TRUE(found.has_value());
  EXPECT_TRUE(is_failure(found->finding.verdict));
  EXPECT_LE(found->problem.N, GetParam().tokens);
  EXPECT_LE(found->problem.V, GetParam().words);
  EXPECT_LE(found->problem.H, 2);
  EXPECT_LE(CceOperation::to_text(found->problem).size(), 300U);
}

INSTANTIATE_TEST_SUITE_P(All, ShrunkCceFault,
                         testing::Values(Small{"rescaling-forgotten", 1, 2}, Small{"leading-minus-infinity", 1, 2},
                                         Small{"last-word-left-out", 1, 3}, Small{"upstream-of-first-token", 4, 3},
                                         Small{"mean-over-all-tokens", 2, 2}, Small{"ignored-times-zero", 1, 2},
                                         Small{"softcap-slope-forgotten", 1, 2}, Small{"one-word-refused", 1, 1},
                                         Small{"target-overwritten", 2, 2}, Small{"remainder-of-threads", 3, 3},
                                         Small{"z-loss-not-squared", 1, 2}),
                         [](const auto& fault) { return test_name(fault.param.fault); });

}  // namespace
}  // namespace assay::validation
