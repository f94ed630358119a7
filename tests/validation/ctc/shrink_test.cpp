// Shrinking: each step leads to a valid problem that is another one, and there is no way round in a circle.
#include "validation/ctc/shrink.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <optional>
#include <ostream>
#include <string>

#include "tests/validation/ctc/property_named.h"
#include "tests/validation/ctc/stub_kernel.h"
#include "validation/core/search.h"
#include "validation/ctc/generate.h"
#include "validation/ctc/kernels.h"
#include "validation/ctc/shrink_structure.h"

namespace assay::validation {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr float infinity = std::numeric_limits<float>::infinity();

CtcCase generated(std::uint64_t seed) {
  Random random(seed);
  return generate_ctc(random, static_cast<int>(seed % 101), {.minus_infinity = 0.3});
}

TEST(Shrink, StepsToValidAndDifferentProblems) {
  int taken = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const CtcCase c = generated(seed);
    for (const auto& step : shrinks_of(c)) {
      const auto smaller = step();
      if (!smaller) continue;
      ++taken;
      EXPECT_FALSE(*smaller == c);
      EXPECT_NO_THROW(require_valid(*smaller));
      EXPECT_LE(smaller->T, c.T);
      EXPECT_LE(smaller->B, c.B);
      EXPECT_LE(smaller->C, c.C);
      EXPECT_LE(smaller->target_lengths.size(), c.target_lengths.size());
      ASSERT_FALSE(HasFailure()) << "seed " << seed;
    }
  }
  EXPECT_GT(taken, 2000);
}

/// The first step of `c` that leads anywhere `wanted` holds, if there is one.
std::optional<CtcCase> next(const CtcCase& c, const std::function<bool(const CtcCase&)>& wanted) {
  for (const auto& step : shrinks_of(c)) {
    if (auto smaller = step(); smaller && wanted(*smaller)) return smaller;
  }
  return std::nullopt;
}

int steps_to_the_end(CtcCase& c, const std::function<bool(const CtcCase&)>& wanted) {
  int steps = 0;
  for (auto smaller = next(c, wanted); smaller && steps < 10'000; smaller = next(c, wanted)) {
    c = *smaller;
    ++steps;
  }
  return steps;
}

TEST(Shrink, EndsInTheSmallestProblemWhereAnythingWillDo) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    CtcCase c = generated(seed);
    EXPECT_LT(steps_to_the_end(c, [](const CtcCase&) { return true; }), 100) << "seed " << seed;
    EXPECT_EQ(c.B, 1);
    EXPECT_EQ(c.T, 0);
    EXPECT_EQ(c.S, 0);
    EXPECT_EQ(c.C, 1);
    EXPECT_THAT(c.upstream, IsEmpty());
    EXPECT_EQ(c.layout, CtcTargets::padded);
    EXPECT_EQ(c.reduction, Reduction::none);
    EXPECT_EQ(c.variable, CtcVariable::logits);
    EXPECT_FALSE(c.zero_infinity);
  }
}

/// Where structure may not shrink, values do, and they too come to an end.
TEST(Shrink, OfValuesAloneEnds) {
  int moved = 0;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    CtcCase c = generated(seed);
    const CtcCase start = c;
    const auto same_structure = [&](const CtcCase& d) {
      return d.T == start.T && d.B == start.B && d.C == start.C && !d.activations.empty() && d.activations.back() != 0;
    };
    const int steps = steps_to_the_end(c, same_structure);
    EXPECT_LT(steps, 10'000) << "seed " << seed;
    moved += steps > 0 ? 1 : 0;
  }
  EXPECT_GT(moved, 50);
}

/// What has to stay is given in few bits.
TEST(Shrink, RoundsValues) {
  CtcCase c = three_of_four_paths();
  c.activations = {0.123456F, 0.7654321F, -17.1234F, 1e-30F};
  const auto kept = [](const CtcCase& d) {
    return d.T == 2 && d.C == 2 && d.S == 1 && d.activations[1] > 0.6F && d.activations[2] < -3;
  };
  steps_to_the_end(c, kept);
  EXPECT_THAT(c.activations, ElementsAre(0, 1, -4, 0));
}

TEST(Shrink, TriesTheBoldestFirst) {
  const CtcCase c = select_rows(three_of_four_paths(), {0, 0, 0});
  const auto first = shrinks_of(c).front()();
  ASSERT_TRUE(first.has_value());
  EXPECT_EQ(first->B, 1);
}

/// T=4, B=2, C=4 with activation 100 t + 10 b + k; row 0 has 4 frames and labels 1 3, row 1 has 2 frames and label 3.
CtcCase numbered() {
  CtcCase c;
  c.T = 4;
  c.B = 2;
  c.C = 4;
  for (int t = 0; t < 4; ++t)
    for (int b = 0; b < 2; ++b)
      for (int k = 0; k < 4; ++k) c.activations.push_back(static_cast<float>(100 * t + 10 * b + k));
  c.input_lengths = {4, 2};
  set_targets(c, {{1, 3}, {3}});
  return c;
}

TEST(ShrinkStructure, DropsFramesThatNoRowUses) {
  CtcCase c = numbered();
  drop_unused_frames(c);
  EXPECT_EQ(c, numbered());
  c.input_lengths = {1, 2};
  CtcCase spared = c;
  drop_unused_frames(spared, 1);
  EXPECT_EQ(spared.T, 3);
  EXPECT_EQ(spared.activation(2, 1, 3), 213);
  drop_unused_frames(spared, 7);
  EXPECT_EQ(spared.T, 3);
  drop_unused_frames(c);
  EXPECT_EQ(c.T, 2);
  EXPECT_EQ(c.activations.size(), 16U);
  EXPECT_EQ(c.activation(1, 1, 3), 113);
}

TEST(ShrinkStructure, KeepsTheFirstOrTheLastFramesOfARow) {
  CtcCase first = numbered();
  keep_first_frames(first, 0, 3);
  EXPECT_THAT(first.input_lengths, ElementsAre(3, 2));
  EXPECT_EQ(first.activations, numbered().activations);

  CtcCase last = numbered();
  keep_last_frames(last, 0, 3);
  EXPECT_THAT(last.input_lengths, ElementsAre(3, 2));
  EXPECT_EQ(last.activation(0, 0, 2), 102);
  EXPECT_EQ(last.activation(2, 0, 2), 302);
  EXPECT_EQ(last.activation(0, 1, 2), 12) << "the other row stays";

  for (const std::int64_t count : {-1, 4, 5}) {
    CtcCase same = numbered();
    keep_first_frames(same, 0, count);
    keep_last_frames(same, 0, count);
    EXPECT_EQ(same, numbered()) << count;
  }
}

TEST(ShrinkStructure, KeepsSomeLabelsOfARow) {
  CtcCase c = numbered();
  keep_labels(c, 0, 1, 2);
  EXPECT_THAT(c.labels(0), ElementsAre(3));
  EXPECT_THAT(c.labels(1), ElementsAre(3));
  EXPECT_EQ(c.S, 1);
  keep_labels(c, 1, 0, 0);
  EXPECT_THAT(c.labels(1), IsEmpty());
  const CtcCase before = c;
  keep_labels(c, 0, 1, 0);
  keep_labels(c, 0, 0, 2);
  keep_labels(c, 0, -1, 1);
  EXPECT_EQ(c, before);
}

TEST(ShrinkStructure, DropsAClassThatIsNeitherSpokenNorBlank) {
  CtcCase c = numbered();
  drop_class(c, 2);
  EXPECT_EQ(c.C, 3);
  EXPECT_THAT(c.labels(0), ElementsAre(1, 2)) << "labels above move down";
  EXPECT_EQ(c.activation(3, 1, 2), 313);
  for (const std::int64_t kept : {0, 1, 2}) {
    CtcCase same = c;
    drop_class(same, kept);
    EXPECT_EQ(same, c) << kept;
  }
}

TEST(ShrinkStructure, MovesABlankAboveADroppedClass) {
  CtcCase c = numbered();
  c.blank = 2;
  drop_class(c, 0);
  EXPECT_EQ(c.blank, 1);
  EXPECT_THAT(c.labels(0), ElementsAre(0, 2));
}

TEST(ShrinkStructure, KeepsAClassThatAFrameCannotSpare) {
  CtcCase c = numbered();
  for (const std::int64_t k : {0, 1, 3}) c.activation(1, 1, k) = -infinity;
  const CtcCase before = c;
  drop_class(c, 2);
  EXPECT_EQ(c, before);
}

TEST(ShrinkStructure, PadsTargets) {
  CtcCase c = numbered();
  c.layout = CtcTargets::concatenated;
  set_targets(c, {{1, 3}, {3}});
  use_padded_targets(c);
  EXPECT_EQ(c, numbered());
}

/// How small a fault's counterexample becomes: what a person who reads a report has to look at.
struct Small {
  const char* fault;
  const char* property;
  std::int64_t frames;
  std::int64_t rows;
  std::int64_t labels;
};

void PrintTo(const Small& small, std::ostream* out) {
  *out << small.fault << " by " << small.property;
}

class ShrunkFault : public testing::TestWithParam<Small> {};

TEST_P(ShrunkFault, IsSmall) {
  const Small& small = GetParam();
  const auto kernel = CtcOperation::kernel(std::string("fault:") + small.fault);
  const CtcProperty& property = property_named(small.property);
  const auto found = search<CtcOperation>(property.profile, 200, 1, 2000,
                                          [&](const CtcCase& c) { return judge(property, {*kernel, 40}, c); });
  ASSERT_TRUE(found.has_value());
  EXPECT_TRUE(is_failure(found->finding.verdict));
  EXPECT_LE(found->problem.T, small.frames);
  EXPECT_LE(found->problem.B, small.rows);
  EXPECT_LE(found->problem.S, small.labels);
  EXPECT_LE(found->problem.C, 3);
}

INSTANTIATE_TEST_SUITE_P(All, ShrunkFault,
                         testing::Values(Small{"skip-over-repeat", "loss", 2, 1, 2},
                                         Small{"skip-forbidden", "loss", 2, 1, 2},
                                         Small{"ends-in-blank", "loss", 1, 1, 1},
                                         Small{"beta-ends-in-blank", "frame-sums", 2, 1, 1},
                                         Small{"blank-is-zero", "permutation", 1, 1, 1},
                                         Small{"mean-over-all-labels", "reductions", 2, 2, 2},
                                         Small{"neighbours-input-length", "batch-singles", 2, 2, 1},
                                         Small{"past-length-unwritten", "inside", 2, 2, 1},
                                         Small{"softmax-without-maximum", "shift", 1, 1, 1}),
                         [](const auto& fault) { return test_name(fault.param.fault); });

}  // namespace
}  // namespace assay::validation
