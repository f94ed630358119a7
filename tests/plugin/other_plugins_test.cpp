// Cross-entropy and SVD plug-ins.
#include <gtest/gtest.h>

#include "tests/plugin/plugins.h"
#include "validation/cce/operation.h"
#include "validation/registry.h"
#include "validation/svd/operation.h"

namespace assay::validation::transport {
namespace {

TEST(CcePlugin, PassesTheGate) {
  EXPECT_EQ(failures<CceOperation>(*kernel_called<CceOperation>(built("full_cce")), 6), "");
}

#ifdef ASSAY_TEST_EIGEN
TEST(SvdPlugin, IsJudgedByTheGate) {
  const auto kernel = kernel_called<SvdOperation>(built("eigen"));
  for (const char* const property : {"reconstruction", "orthonormal-u", "orthonormal-v", "inside"})
    EXPECT_EQ(judged<SvdOperation>(*kernel, property, 6).verdict, Verdict::pass) << property;
}
#endif

}  // namespace
}  // namespace assay::validation::transport
