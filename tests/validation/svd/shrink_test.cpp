// Shrinking: each step leads to a valid problem that is another one, and a fault's case becomes one that fits on a
// line.
#include "validation/svd/shrink.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <optional>
#include <ostream>
#include <string>

#include "tests/validation/svd/kernels.h"
#include "validation/core/search.h"

namespace assay::validation {
namespace {

using testing::ElementsAre;

TEST(SvdShrink, StepsToValidAndDifferentProblems) {
  int taken = 0;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const SvdCase c = generated_svd(seed, {.large = 0.02, .max_batch = 6});
    for (const auto& step : shrinks_of(c)) {
      const auto smaller = step();
      if (!smaller) continue;
      ++taken;
      EXPECT_FALSE(*smaller == c);
      EXPECT_NO_THROW(require_valid(*smaller));
      EXPECT_LE(smaller->B, c.B);
      EXPECT_LE(smaller->M, c.M);
      EXPECT_LE(smaller->N, c.N);
      for (const double value : smaller->A) EXPECT_EQ(rounded_to<double>(smaller->dtype, value), value);
      ASSERT_FALSE(HasFailure()) << "seed " << seed;
    }
  }
  EXPECT_GT(taken, 3000);
}

/// The first step of `c` that leads anywhere `wanted` holds, if there is one.
std::optional<SvdCase> next(const SvdCase& c, const std::function<bool(const SvdCase&)>& wanted) {
  for (const auto& step : shrinks_of(c)) {
    if (auto smaller = step(); smaller && wanted(*smaller)) return smaller;
  }
  return std::nullopt;
}

int steps_to_the_end(SvdCase& c, const std::function<bool(const SvdCase&)>& wanted) {
  int steps = 0;
  for (auto smaller = next(c, wanted); smaller && steps < 10'000; smaller = next(c, wanted)) {
    c = *smaller;
    ++steps;
  }
  return steps;
}

TEST(SvdShrink, EndsInTheSmallestProblemWhereAnythingWillDo) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    SvdCase c = generated_svd(seed);
    EXPECT_LT(steps_to_the_end(c, [](const SvdCase&) { return true; }), 30) << "seed " << seed;
    EXPECT_EQ(c, (SvdCase{1, 1, 1, Dtype::float32, {0}})) << SvdOperation::to_text(c);
  }
}

/// Where structure may not shrink, values do, and they too come to an end.
TEST(SvdShrink, OfValuesAloneEnds) {
  int moved = 0;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    SvdCase c = generated_svd(seed, {.large = 0, .max_batch = 2});
    if (c.A.back() == 0) continue;
    const SvdCase start = c;
    const auto same_structure = [&](const SvdCase& d) {
      return d.B == start.B && d.M == start.M && d.N == start.N && d.A.back() != 0;
    };
    const int steps = steps_to_the_end(c, same_structure);
    EXPECT_LT(steps, 1'000) << "seed " << seed;
    moved += steps > 0 ? 1 : 0;
  }
  EXPECT_GT(moved, 50);
}

/// Any two matrices of a batch are left where it takes two, in the end; and no exchange of them goes on for ever.
TEST(SvdShrink, LeavesAsManyMatricesAsItTakes) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    SvdCase c = generated_svd(seed, {.max_batch = 20});
    if (c.B < 2) continue;
    EXPECT_LT(steps_to_the_end(c, [](const SvdCase& d) { return d.B >= 2; }), 100) << "seed " << seed;
    EXPECT_EQ(c, (SvdCase{2, 1, 1, Dtype::float32, {0, 0}})) << SvdOperation::to_text(c);
  }
}

/// What has to stay is given in few bits, at a scale near 1.
TEST(SvdShrink, RoundsValues) {
  SvdCase c{1, 2, 2, Dtype::float64, {0.123456e200, 0.7654321e200, -1.71234e200, 1e-30}};
  steps_to_the_end(c, [](const SvdCase& d) { return d.M == 2 && d.N == 2 && d.at(0, 1, 0) < -d.at(0, 0, 1) / 2; });
  EXPECT_EQ(c.dtype, Dtype::float32);
  EXPECT_THAT(c.A, ElementsAre(0, 0, -1, 0));
}

TEST(SvdShrink, TriesTheBoldestFirst) {
  const auto first = shrinks_of(two_tall()).front()();
  ASSERT_TRUE(first.has_value());
  EXPECT_EQ(*first, select_matrix(two_tall(), 0));
}

TEST(SvdShrink, KeepsAnAspectWhereItMatters) {
  SvdCase c = generated_svd(77, {.large = 1});
  ASSERT_GE(c.K(), 7);
  steps_to_the_end(c, [](const SvdCase& d) { return d.M < d.N; });
  if (c.M < c.N) {
    EXPECT_EQ(c, (SvdCase{1, 1, 2, Dtype::float32, {0, 0}}));
  }
  c = generated_svd(78, {.deficient = 0, .scaled = 0, .large = 0});
  steps_to_the_end(c, [](const SvdCase& d) { return largest_element(d, 0) > 0; });
  EXPECT_EQ(c, (SvdCase{1, 1, 1, Dtype::float32, {1}}));
}

/// How small a fault's counterexample becomes: what a person who reads a report has to look at.
struct Small {
  const char* fault;
  std::int64_t B, M, N;
};

void PrintTo(const Small& small, std::ostream* out) {
  *out << small.fault;
}

class ShrunkSvdFault : public testing::TestWithParam<Small> {};

TEST_P(ShrunkSvdFault, IsSmall) {
  const Small& small = GetParam();
  const SvdFault& fault = svd_fault_named(small.fault);
  const SvdProperty& property = svd_property_named(fault.caught_by);
  const auto found = search<SvdOperation>(property.profile, 200, 1, 2000,
                                          [&](const SvdCase& c) { return judge(property, {*fault.kernel, 40}, c); });
  ASSERT_TRUE(found.has_value());
  EXPECT_TRUE(is_failure(found->finding.verdict));
  EXPECT_TRUE(is_failure(judge(property, {*fault.kernel, 40}, found->problem).verdict)) << "the case itself fails";
  EXPECT_LE(found->problem.B, small.B);
  EXPECT_LE(found->problem.M, small.M);
  EXPECT_LE(found->problem.N, small.N);
  EXPECT_LE(SvdOperation::to_text(found->problem).size(), 200U) << SvdOperation::to_text(found->problem);
}

INSTANTIATE_TEST_SUITE_P(
    All, ShrunkSvdFault,
    testing::Values(Small{"absolute-threshold", 1, 2, 2}, Small{"tangent-as-sine", 1, 2, 2},
                    Small{"last-pair-never-meets", 1, 3, 3}, Small{"null-space-left-zero", 1, 1, 1},
                    Small{"null-space-unit-vector", 1, 2, 2}, Small{"unsorted", 1, 2, 2}, Small{"sign-on-s", 1, 1, 1},
                    Small{"values-sorted-alone", 1, 2, 2}, Small{"half-of-the-matrix", 1, 2, 2},
                    Small{"writes-past-u", 1, 1, 1}, Small{"scale-of-the-batch", 2, 2, 2},
                    Small{"lanes-converge-together", 2, 1, 1}, Small{"zero-matrix-refused", 1, 1, 1},
                    Small{"no-tall-correction", 1, 2, 1}, Small{"infinite-at-zero", 1, 1, 1}),
    [](const auto& fault) { return test_name(fault.param.fault); });

}  // namespace
}  // namespace assay::validation
