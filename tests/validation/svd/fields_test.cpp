// The run of matrices that a hand can decompose, in every type, and of the rSVD.
#include "validation/svd/fields.h"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

#include "tests/matchers.h"
#include "tests/validation/svd/kernels.h"

namespace assay::validation {
namespace {

TEST(SvdRun, HoldsWhatTheKernelWrote) {
  for (const Dtype dtype : all_dtypes()) {
    const SvdRun run = run_kernel(*plain_svd_kernel(), exchange(dtype));
    EXPECT_FALSE(run.refused);
    EXPECT_THAT(run.out_of_bounds_writes, IsEmpty());
    EXPECT_THAT(run.unwritten, IsEmpty());
    EXPECT_THAT(run.S, ElementsAre(2, 1));
    EXPECT_THAT(run.U, ElementsAre(1, 0, 0, 1));
    EXPECT_THAT(run.Vh, ElementsAre(0, 1, 1, 0));
  }
}

TEST(SvdRun, IsIndexedByMatrixRowAndColumn) {
  const SvdRun run = run_kernel(*plain_svd_kernel(), two_tall());
  EXPECT_EQ(run.M, 3);
  EXPECT_EQ(run.N, 2);
  EXPECT_EQ(run.u(1, 2, 0), run.U[6 + 4]);
  EXPECT_EQ(run.s(1, 1), run.S[3]);
  EXPECT_EQ(run.vh(1, 1, 0), run.Vh[4 + 2]);
  EXPECT_NEAR(run.s(1, 0), std::sqrt(3.0), 1e-6);
}

TEST(SvdRun, OfTheRandomizedSvdHasItsRank) {
  reference::RandomizedSvd asked;
  const StubSvdKernel kernel(
      {.randomized = [&](const auto&, const auto& randomized, const auto&) { asked = randomized; }});
  const SvdRun run = run_kernel(kernel, two_tall(), {.request = {.randomized = reference::RandomizedSvd{1, 5, 3, 99}}});
  EXPECT_EQ(run.K, 1);
  EXPECT_THAT(run.U, SizeIs(6));
  EXPECT_THAT(run.S, SizeIs(2));
  EXPECT_THAT(run.Vh, SizeIs(4));
  EXPECT_EQ(asked.rank, 1);
  EXPECT_EQ(asked.oversampling, 5);
  EXPECT_EQ(asked.power_iterations, 3);
  EXPECT_EQ(asked.seed, 99U);
}

/// Where a kernel claims less, less is asked of it; and never that it pass.
TEST(SvdProperties, SkipWhatAKernelDoesNotClaim) {
  class Modest final : public SvdKernel {
   public:
    const SvdKernelInfo& info() const override { return info_; }
    void run(const metal::AnySvdProblem& problem, const metal::AnySvdOutput& out,
             const SvdRequest& request) const override {
      plain_svd_kernel()->run(problem, out, request);
    }

   private:
    SvdKernelInfo info_{.name = "modest", .support = {.dtypes = {Dtype::float32}}};
  };
  const Modest modest;
  for (const char* name : {"graded", "signs", "randomized", "gradient", "gradient-ties"})
    EXPECT_EQ(judge(svd_property_named(name), {modest}, two_tall()).verdict, Verdict::skipped) << name;
  const Finding other_type = judge(svd_property_named("values"), {modest}, two_tall(Dtype::float16));
  EXPECT_EQ(other_type.verdict, Verdict::skipped);
  EXPECT_EQ(other_type.explanation, "the kernel does not do float16");
  EXPECT_EQ(judge(svd_property_named("values"), {modest}, two_tall()).verdict, Verdict::pass);
  EXPECT_THROW(modest.randomized({}, {}, {}), std::logic_error);
  EXPECT_THROW(modest.gradient({}, {}), std::logic_error);
}

}  // namespace
}  // namespace assay::validation
