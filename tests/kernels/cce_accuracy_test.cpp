#include "tests/kernels/cce_bench.h"
namespace assay::metal::test {
namespace {
TEST(CceKernels, Small) {
  for (const CcePath path : {CcePath::plain, CcePath::production}) {
    CceBench bench({.path = path});
    for (const bool bias : {false, true}) {
      const CceCase c = some_cce(5, 9, 70, bias);
      const auto r = bench.run(c);
      expect_exact(r, c, 1e-6, 2e-6, path == CcePath::plain ? "plain" : "production");
    }
    EXPECT_EQ(bench.reports(), "");
  }
}
}  // namespace
}  // namespace assay::metal::test
