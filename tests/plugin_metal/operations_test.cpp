// Bindings of each operation pass: a plain CTC and cross-entropy, and an SVD of single columns.
#include <gtest/gtest.h>

#include "tests/plugin_metal/shader_folder.h"
#include "tests/validation/named.h"
#include "validation/cce/operation.h"
#include "validation/ctc/operation.h"
#include "validation/registry.h"
#include "validation/svd/operation.h"

namespace assay::validation::transport::test {
namespace {

template <class Operation>
int passed(const typename Operation::Kernel& kernel, int cases) {
  int count = 0;
  for (const auto& property : Operation::properties()) {
    const auto report = report_on<Operation>(kernel, property.name, cases);
    EXPECT_FALSE(is_failure(report.verdict)) << property.name << (report.failure ? report.failure->explanation : "");
    count += report.verdict == Verdict::pass ? 1 : 0;
  }
  return count;
}

TEST(StrangersCtc, PassesEveryProperty) {
  const ShaderFolder folder("ctc");
  EXPECT_GE(passed<CtcOperation>(*kernel_called<CtcOperation>(folder.binding()), 6), 15);
}

TEST(StrangersCrossEntropy, PassesEveryProperty) {
  const ShaderFolder folder("cce");
  EXPECT_GE(passed<CceOperation>(*kernel_called<CceOperation>(folder.binding()), 4), 15);
}

TEST(StrangersCrossEntropy, FailsWithTheWrongFactor) {
  const ShaderFolder folder("cce");
  folder.edit_source("- float(v == uint(target))", "- 0.5f * float(v == uint(target))");
  const auto kernel = kernel_called<CceOperation>(folder.binding());
  EXPECT_EQ(report_on<CceOperation>(*kernel, "dweight", 5).verdict, Verdict::fail);
  EXPECT_EQ(report_on<CceOperation>(*kernel, "loss", 5).verdict, Verdict::pass);
}

TEST(StrangersCrossEntropy, CannotKeepItsTargetsInATypeThatLacksThem) {
  const ShaderFolder folder("cce");
  folder.edit_source("device const int* targets [[buffer(0)]]", "device const uint* targets [[buffer(0)]]");
  folder.edit_source("device const int* targets [[buffer(4)]]", "device const uint* targets [[buffer(4)]]");
  folder.edit_binding(R"("source")", R"("types": {"targets": "uint"}, "source")");
  const auto report = report_on<CceOperation>(*kernel_called<CceOperation>(folder.binding()), "loss", 10);
  ASSERT_FALSE(report.skipped.empty());
  EXPECT_EQ(report.skipped.count(R"(the kernel does not do an ignore_index beyond types.targets = "uint")"), 1U);
}

TEST(StrangersSvd, PassesEveryProperty) {
  const ShaderFolder folder("svd");
  EXPECT_GE(passed<SvdOperation>(*kernel_called<SvdOperation>(folder.binding()), 3), 5);
}

/// As in a script: the only kernel, groups of at most 256 threads, and an array from its first byte on.
TEST(StrangersSvd, MayLeaveOutWhatGoesWithoutSaying) {
  const ShaderFolder folder("svd");
  folder.edit_binding(R"("function": "columns",)", "").edit_binding(R"("group": [32],)", "");
  folder.edit_binding(R"({"index": 0, "array": "A"})", R"({"index": 0, "array": "A", "offset": "0 * M"})");
  EXPECT_EQ(report_on<SvdOperation>(*kernel_called<SvdOperation>(folder.binding()), "values", 3).verdict,
            Verdict::pass);
  folder.edit_binding("0 * M", "4 * M");
  EXPECT_TRUE(is_failure(report_on<SvdOperation>(*kernel_called<SvdOperation>(folder.binding()), "values", 3).verdict));
}

TEST(StrangersSvd, FailsWhereItForgetsToScale) {
  const ShaderFolder folder("svd");
  folder.edit_source("S[b] = ldexp(norm, e);", "S[b] = norm;");
  EXPECT_EQ(report_on<SvdOperation>(*kernel_called<SvdOperation>(folder.binding()), "values", 3).verdict,
            Verdict::fail);
}

}  // namespace
}  // namespace assay::validation::transport::test
