#include "reference/ctc/labels.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace assay::reference {
namespace {

using testing::ElementsAre;
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

}  // namespace
}  // namespace assay::reference
