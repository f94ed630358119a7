// Values without vectors: to the bit where a kernel claims so, and within the bounds where it does not.
#include <gtest/gtest.h>

#include "tests/validation/svd/kernels.h"

namespace assay::validation {
namespace {

/// Without vectors, the values of `c` are larger by `share` of themselves.
Verdict verdict_on(const SvdCase& c, double share, bool claims_same) {
  SvdKernelInfo claims = plain_svd_kernel()->info();
  claims.unit_roundoff = 0x1p-24;
  claims.same_values = claims_same;
  const auto run = [share](const metal::AnySvdProblem& problem, const metal::AnySvdOutput& out,
                           const SvdRequest& request) {
    plain_svd_kernel()->run(problem, out, request);
    if (!is_empty(out.U)) return;
    change_output(out.S, [&](const auto& span) {
      for (auto& s : span) s = static_cast<std::decay_t<decltype(s)>>(static_cast<double>(s) * (1 + share));
    });
  };
  return judge(svd_property_named("values-only"), {StubSvdKernel({.run = run}, claims)}, c).verdict;
}

TEST(ValuesOnly, MayRoundOtherwiseUnlessTheKernelClaimsTheSameBits) {
  for (const Dtype dtype : all_dtypes()) {
    const double u = format_of(value_dtype(dtype)).roundoff;
    EXPECT_EQ(verdict_on(two_tall(dtype), 2 * u, true), Verdict::fail);
    EXPECT_EQ(verdict_on(two_tall(dtype), 2 * u, false), Verdict::pass);
    EXPECT_EQ(verdict_on(two_tall(dtype), 0, true), Verdict::pass);
  }
}

TEST(ValuesOnly, StayWithinTheBoundsOfBothRuns) {
  EXPECT_EQ(verdict_on(two_tall(), 0x1p-16, false), Verdict::fail);
  EXPECT_EQ(verdict_on(two_tall(Dtype::float64), 0x1p-40, false), Verdict::fail);
}

}  // namespace
}  // namespace assay::validation
