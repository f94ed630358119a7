#include "reference/ctc/labels.h"

#include "reference/ctc/enumeration.h"
#include "tests/matchers.h"
#include "tests/reference/ctc/lattices.h"

namespace assay::reference {
namespace {

using Labels = std::vector<std::int64_t>;

TEST(Expand, PutsBlanksAroundAndBetween) {
  EXPECT_THAT(expand(Labels{1, 2, 2}, 0), ElementsAre(0, 1, 0, 2, 0, 2, 0));
  EXPECT_THAT(expand(Labels{}, 5), ElementsAre(5));
}

TEST(MaySkipTo, NeedsTwoDifferentLabels) {
  const Labels expanded = expand(Labels{1, 2, 2}, 0);
  std::vector<bool> may;
  for (std::int64_t s = 0; s < 7; ++s) may.push_back(may_skip_to(expanded, s));
  EXPECT_THAT(may, ElementsAre(false, false, false, true, false, false, false));
}

/// By the definition: those that the alignments of l pass, found by walking each along l'.
TEST(LiveStates, HoldEveryStateOfEveryAlignment) {
  tests::for_each_lattice([](const tests::Lattice& x) {
    const std::int64_t L = std::ssize(x.expanded);
    for (const auto& alignment : alignments(x.T, x.labels, x.blank)) {
      std::int64_t s = alignment.empty() || alignment[0] == x.blank ? 0 : 1;
      for (std::int64_t t = 0; t < x.T; ++t) {
        const std::int64_t k = alignment[static_cast<std::size_t>(t)];
        while (x.expanded[static_cast<std::size_t>(s)] != k) ++s;
        const auto [first, end] = live_states(t, x.T, L);
        EXPECT_TRUE(first <= s && s < end) << "t=" << t << " s=" << s;
      }
    }
  });
}

TEST(LiveStates, AreTwoMoreEachFrameFromBothEnds) {
  const std::int64_t T = 4, L = 7, first[] = {0, 1, 3, 5}, end[] = {2, 4, 6, 7};
  for (std::int64_t t = 0; t < T; ++t) {
    EXPECT_EQ(live_states(t, T, L).first, first[t]);
    EXPECT_EQ(live_states(t, T, L).end, end[t]);
  }
}

}  // namespace
}  // namespace assay::reference
