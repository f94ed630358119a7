// Shrinking of CTC beyond what every operation's does (tests/validation/operations/shrink_test.cpp).
#include "validation/ctc/operation.h"

#include <gtest/gtest.h>

#include <limits>

#include "tests/limits.h"
#include "tests/matchers.h"
#include "tests/validation/ctc/kernels.h"
#include "tests/validation/operations/shrinking.h"
#include "validation/ctc/shrink_structure.h"

namespace assay::validation {
namespace {

using tests::infinity;

/// What has to stay is given in few bits.
TEST(Shrink, RoundsValues) {
  CtcCase c = three_of_four_paths();
  c.activations = {0.123456F, 0.7654321F, -17.1234F, 1e-30F};
  const auto kept = [](const CtcCase& d) {
    return d.T == 2 && d.C == 2 && d.S == 1 && d.activations[1] > 0.6F && d.activations[2] < -3;
  };
  steps_to_the_end<CtcOperation>(c, kept);
  EXPECT_THAT(c.activations, ElementsAre(0, 1, -4, 0));
}

TEST(Shrink, TriesTheBoldestFirst) {
  const CtcCase c = select_rows(three_of_four_paths(), {0, 0, 0});
  const auto first = CtcOperation::shrinks_of(c).front()();
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

TEST(ShrinkStructure, CutsFramesOffAnEnd) {
  CtcCase back = numbered();
  cut_frames(back, {0, 1}, 4, CtcEnd::back);
  EXPECT_THAT(back.input_lengths, ElementsAre(3, 2));
  EXPECT_EQ(back.activations, numbered().activations);

  CtcCase front = numbered();
  cut_frames(front, {0, 1}, 4, CtcEnd::front);
  EXPECT_THAT(front.input_lengths, ElementsAre(3, 2));
  EXPECT_EQ(front.activation(0, 0, 2), 102);
  EXPECT_EQ(front.activation(2, 0, 2), 302);
  EXPECT_EQ(front.activation(0, 1, 2), 12) << "the other row stays";

  CtcCase both = numbered();
  cut_frames(both, {0, 2}, 2, CtcEnd::front);
  EXPECT_THAT(both.input_lengths, ElementsAre(2, 1));
  EXPECT_EQ(both.activation(0, 0, 1), 201);
  EXPECT_EQ(both.activation(0, 1, 1), 111);
  cut_frames(both, {0, 2}, 2, CtcEnd::back);
  cut_frames(both, {0, 2}, 2, CtcEnd::back);
  cut_frames(both, {0, 2}, 2, CtcEnd::front);
  EXPECT_THAT(both.input_lengths, ElementsAre(0, 0)) << "one at least, while there is one";
}

TEST(ShrinkStructure, CutsLabelsOffAnEnd) {
  CtcCase c = numbered();
  cut_labels(c, {0, 1}, 2, CtcEnd::front);
  EXPECT_THAT(c.labels(0), ElementsAre(3));
  EXPECT_THAT(c.labels(1), ElementsAre(3));
  EXPECT_EQ(c.S, 1);
  c = numbered();
  cut_labels(c, {0, 2}, 2, CtcEnd::back);
  EXPECT_THAT(c.labels(0), ElementsAre(1));
  EXPECT_THAT(c.labels(1), IsEmpty());
  cut_labels(c, {0, 2}, 2, CtcEnd::back);
  cut_labels(c, {0, 2}, 2, CtcEnd::back);
  EXPECT_EQ(c.S, 0);
}

TEST(ShrinkStructure, DropsAClassThatIsNeitherSpokenNorBlank) {
  CtcCase c = numbered();
  drop_classes(c, 2, 3);
  EXPECT_EQ(c.C, 3);
  EXPECT_THAT(c.labels(0), ElementsAre(1, 2)) << "labels above move down";
  EXPECT_EQ(c.activation(3, 1, 2), 313);
  for (const std::int64_t kept : {0, 1, 2}) {
    CtcCase same = c;
    drop_classes(same, kept, kept + 1);
    EXPECT_EQ(same, c) << kept;
  }
}

TEST(ShrinkStructure, DropsOfSeveralClassesThoseThatNobodyNeeds) {
  CtcCase c = numbered();
  set_targets(c, {{3}, {3}});
  drop_classes(c, 0, 4);
  EXPECT_EQ(c.C, 2) << "the blank and the label";
  EXPECT_THAT(c.labels(0), ElementsAre(1));
  EXPECT_EQ(c.activation(3, 1, 1), 313);
}

TEST(ShrinkStructure, MovesABlankAboveADroppedClass) {
  CtcCase c = numbered();
  c.blank = 2;
  drop_classes(c, 0, 1);
  EXPECT_EQ(c.blank, 1);
  EXPECT_THAT(c.labels(0), ElementsAre(0, 2));
}

TEST(ShrinkStructure, KeepsAClassThatAFrameCannotSpare) {
  CtcCase c = numbered();
  for (const std::int64_t k : {0, 1, 3}) c.activation(1, 1, k) = -infinity;
  const CtcCase before = c;
  drop_classes(c, 2, 3);
  EXPECT_EQ(c, before);
}

TEST(ShrinkStructure, PadsTargets) {
  CtcCase c = numbered();
  c.layout = CtcTargets::concatenated;
  set_targets(c, {{1, 3}, {3}});
  use_padded_targets(c);
  EXPECT_EQ(c, numbered());
}

}  // namespace
}  // namespace assay::validation
