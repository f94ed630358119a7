#include "reference/ctc/targets.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/reference/ctc/problems.h"

namespace assay::reference {
namespace {

TEST(TargetRows, AreTheLabelsOfEachRowInBothLayouts) {
  tests::Batch batch = tests::random_batch(4, 2, 3, 2);
  batch.target_lengths = {2, 1};
  for (const CtcTargets layout : {CtcTargets::padded, CtcTargets::concatenated}) {
    batch.shape.layout = layout;
    batch.targets =
        layout == CtcTargets::padded ? std::vector<std::int64_t>{1, 2, 2, -9} : std::vector<std::int64_t>{1, 2, 2};
    const std::vector<Targets> rows = target_rows(batch.problem());
    ASSERT_EQ(rows.size(), 2U);
    EXPECT_THAT(rows[0], testing::ElementsAre(1, 2));
    EXPECT_THAT(rows[1], testing::ElementsAre(2));
  }
}

}  // namespace
}  // namespace assay::reference
