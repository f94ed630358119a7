// The run of a problem that a hand can solve.
#include "validation/ctc/fields.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/matchers.h"
#include "tests/validation/ctc/kernels.h"

namespace assay::validation {
namespace {

TEST(CtcRun, HoldsWhatTheKernelWrote) {
  const CtcRun run = run_kernel(*plain_ctc_kernel(), three_of_four_paths());
  EXPECT_FALSE(run.refused);
  EXPECT_THAT(run.out_of_bounds_writes, IsEmpty());
  EXPECT_THAT(run.unwritten, IsEmpty());
  EXPECT_THAT(run.loss, ElementsAre(static_cast<float>(std::log(4.0 / 3))));
  ASSERT_THAT(run.gradient, SizeIs(4));
  EXPECT_FLOAT_EQ(run.gradient_at(three_of_four_paths(), 1, 0, 0), 1.0F / 6.0F);
  EXPECT_FLOAT_EQ(run.gradient_at(three_of_four_paths(), 1, 0, 1), -1.0F / 6.0F);
}

TEST(CtcRun, AsksForOneLossWhereLossesAreReduced) {
  CtcCase two_rows = select_rows(three_of_four_paths(), {0, 0});
  EXPECT_THAT(run_kernel(*plain_ctc_kernel(), two_rows).loss, SizeIs(2));
  two_rows.reduction = Reduction::mean;
  EXPECT_THAT(run_kernel(*plain_ctc_kernel(), two_rows).loss, SizeIs(1));
}

}  // namespace
}  // namespace assay::validation
