// States, skips and the band of states that lie on some alignment.
#include "metal/cpu/ctc/states.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <vector>

namespace assay::metal::cpu {
namespace {

using Labels = std::vector<std::int64_t>;

/// The states of `labels` with the memory they lie in.
struct OwnedStates {
  OwnedStates(const Labels& labels, std::int64_t blank, std::size_t C)
      : classes(max_kept_classes(labels.size(), C)),
        slots(2 * labels.size() + 1),
        skips(new bool[2 * labels.size() + 3]),
        seen(C) {
    states = expand(labels, blank, {classes, slots, {skips.get(), 2 * labels.size() + 3}, seen});
  }
  Labels classes;
  std::vector<std::size_t> slots;
  std::unique_ptr<bool[]> skips;
  std::vector<std::uint32_t> seen;
  States states;
};

TEST(States, InterleaveBlanksAndSkipThemBetweenDifferentLabels) {
  const OwnedStates owned({7, 3, 3, 7}, 5, few_classes + 1);
  const States& states = owned.states;
  EXPECT_EQ(states.blank_slot(), 0U);
  EXPECT_EQ(Labels(states.classes.begin(), states.classes.end()), (Labels{5, 7, 3}));
  EXPECT_EQ(std::vector<std::size_t>(states.slots.begin(), states.slots.end()),
            (std::vector<std::size_t>{0, 1, 0, 2, 0, 2, 0, 1, 0}));
  EXPECT_EQ(std::vector<bool>(states.skips.begin(), states.skips.end()),
            (std::vector<bool>{false, false, false, true, false, false, false, true, false, false, false}));
}

TEST(States, KeepAllOfFewClasses) {
  const OwnedStates owned({1, 3, 3, 1}, 2, 4);
  const States& states = owned.states;
  EXPECT_EQ(states.blank_slot(), 2U);
  EXPECT_EQ(Labels(states.classes.begin(), states.classes.end()), (Labels{0, 1, 2, 3}));
  EXPECT_EQ(std::vector<std::size_t>(states.slots.begin(), states.slots.end()),
            (std::vector<std::size_t>{2, 1, 2, 3, 2, 3, 2, 1, 2}));
}

TEST(States, OfNoLabelsAreOneBlank) {
  const OwnedStates owned({}, 2, few_classes + 1);
  EXPECT_EQ(owned.states.L(), 1U);
  EXPECT_EQ(owned.states.K(), 1U);
  EXPECT_EQ(owned.states.classes[0], 2);
}

TEST(States, FeasibleNeedsAFrameForEachLabelAndOneForEachRepeat) {
  EXPECT_TRUE(feasible(Labels{}, 0));
  EXPECT_FALSE(feasible(Labels{1}, 0));
  EXPECT_TRUE(feasible(Labels{1, 2, 1}, 3));
  EXPECT_FALSE(feasible(Labels{1, 2, 1}, 2));
  EXPECT_TRUE(feasible(Labels{1, 1, 1}, 5));
  EXPECT_FALSE(feasible(Labels{1, 1, 1}, 4));
}

/// Whether state i of L can be reached at frame t when a blank may always be skipped, and can still reach the end.
bool on_some_alignment(std::size_t t, std::size_t i, std::size_t T, std::size_t L) {
  return i <= 2 * t + 1 && L - 1 - i <= 2 * (T - 1 - t) + 1;
}

TEST(Band, HoldsTheStatesOnSomeAlignmentAndNoOthers) {
  for (std::size_t S = 0; S <= 5; ++S)
    for (std::size_t T = std::max<std::size_t>(S, 1); T <= 8; ++T)
      for (std::size_t t = 0; t < T; ++t) {
        const std::size_t L = 2 * S + 1;
        const Band states = band(t, T, L);
        for (std::size_t i = 0; i < L; ++i)
          EXPECT_EQ(states.first <= i && i <= states.last, on_some_alignment(t, i, T, L))
              << "T=" << T << " S=" << S << " t=" << t << " i=" << i;
      }
}

}  // namespace
}  // namespace assay::metal::cpu
