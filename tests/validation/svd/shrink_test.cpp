// Shrinking of the SVD beyond what every operation's does (tests/validation/operations/shrink_test.cpp).
#include "validation/svd/operation.h"

#include <gtest/gtest.h>

#include "tests/matchers.h"
#include "tests/validation/operations/shrinking.h"
#include "tests/validation/svd/kernels.h"

namespace assay::validation {
namespace {

/// Any two matrices of a batch are left where it takes two, in the end; and no exchange of them goes on for ever.
TEST(SvdShrink, LeavesAsManyMatricesAsItTakes) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    SvdCase c = generated_svd(seed, {.max_batch = 20});
    if (c.B < 2) continue;
    EXPECT_LT(steps_to_the_end<SvdOperation>(c, [](const SvdCase& d) { return d.B >= 2; }), 100) << "seed " << seed;
    EXPECT_EQ(c, (SvdCase{2, 1, 1, Dtype::float32, {0, 0}})) << SvdOperation::to_text(c);
  }
}

/// What has to stay is given in few bits, at a scale near 1.
TEST(SvdShrink, RoundsValues) {
  SvdCase c{1, 2, 2, Dtype::float64, {0.123456e200, 0.7654321e200, -1.71234e200, 1e-30}};
  steps_to_the_end<SvdOperation>(
      c, [](const SvdCase& d) { return d.M == 2 && d.N == 2 && d.at(0, 1, 0) < -d.at(0, 0, 1) / 2; });
  EXPECT_EQ(c.dtype, Dtype::float32);
  EXPECT_THAT(c.A, ElementsAre(0, 0, -1, 0));
}

TEST(SvdShrink, TriesTheBoldestFirst) {
  const auto first = SvdOperation::shrinks_of(two_tall()).front()();
  ASSERT_TRUE(first.has_value());
  EXPECT_EQ(*first, select_matrix(two_tall(), 0));
}

TEST(SvdShrink, KeepsAnAspectWhereItMatters) {
  SvdCase c = generated_svd(77, {.large = 1});
  ASSERT_GE(c.K(), 7);
  steps_to_the_end<SvdOperation>(c, [](const SvdCase& d) { return d.M < d.N; });
  if (c.M < c.N) {
    EXPECT_EQ(c, (SvdCase{1, 1, 2, Dtype::float32, {0, 0}}));
  }
  c = generated_svd(78, {.deficient = 0, .scaled = 0, .large = 0});
  steps_to_the_end<SvdOperation>(c, [](const SvdCase& d) { return largest_element(d, 0) > 0; });
  EXPECT_EQ(c, (SvdCase{1, 1, 1, Dtype::float32, {1}}));
}

}  // namespace
}  // namespace assay::validation
