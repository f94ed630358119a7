// The run of a problem that a hand can solve, in every type.
#include "validation/cce/fields.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/matchers.h"
#include "tests/validation/cce/kernels.h"

namespace assay::validation {
namespace {

TEST(CceRun, HoldsWhatTheKernelWrote) {
  for (const Dtype dtype : {Dtype::float32, Dtype::float16, Dtype::bfloat16}) {
    CceCase c = two_entries();
    c.dtype = dtype;
    const CceRun run = run_kernel(*plain_cce_kernel(), c);
    EXPECT_FALSE(run.refused);
    EXPECT_THAT(run.out_of_bounds_writes, IsEmpty());
    EXPECT_THAT(run.unwritten, IsEmpty());
    EXPECT_THAT(run.loss, ElementsAre(static_cast<float>(std::log(2.0))));
    EXPECT_THAT(run.dhidden, ElementsAre(1, 0));
    EXPECT_THAT(run.dweight, ElementsAre(0, 1, 0, -1));
    EXPECT_THAT(run.dbias, ElementsAre(0.5F, -0.5F));
  }
}

TEST(CceRun, AsksForOneLossWhereLossesAreReducedAndForNoGradientOfNoBias) {
  CceCase c = three_tokens();
  EXPECT_THAT(run_kernel(*plain_cce_kernel(), c).loss, SizeIs(3));
  c.reduction = Reduction::mean;
  c.bias.clear();
  const CceRun run = run_kernel(*plain_cce_kernel(), c);
  EXPECT_THAT(run.loss, SizeIs(1));
  EXPECT_THAT(run.dbias, IsEmpty());
}

TEST(CceRun, PassesItsRequestOn) {
  CceRequest asked;
  const StubCceKernel kernel([&](const auto&, const auto&, const CceRequest& request) { asked = request; });
  run_kernel(kernel, two_entries(), {.request = {.threads = 3, .chunk = 5, .in_halves = true}});
  EXPECT_EQ(asked.chunk, 5);
  EXPECT_TRUE(asked.in_halves);
}

}  // namespace
}  // namespace assay::validation
