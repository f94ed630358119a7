// Plug-ins are given arrays past 2^32 elements where they are, in a process that has no memory for most of them.
#include <gtest/gtest.h>

#include <utility>

#include "tests/matchers.h"
#include "tests/plugin/plugins.h"
#include "tests/validation/named.h"
#include "validation/cce/operation.h"
#include "validation/core/report.h"
#include "validation/ctc/operation.h"
#include "validation/registry.h"
#include "validation/transport/library/plugin.h"

namespace assay::validation::transport {
namespace {

/// The time limit is for a machine that does much else.
template <class O>
PropertyReport far(const char* plugin, const char* property, typename O::Case needle, double time_limit = 60) {
  set_time_limit(time_limit);
  auto report = report_on<O>(*kernel_called<O>(built(plugin)), property, 0, Reach::none,
                             {{"large rows", std::move(needle), false}});
  set_time_limit(10);
  return report;
}

PropertyReport far_rows(const char* plugin, double time_limit = 60) {
  return far<CtcOperation>(plugin, "far-rows", CtcOperation::needle("C", 131'073), time_limit);
}

TEST(FarArrays, AreJudgedInPlace) {
  const auto report = far_rows("full_ctc");
  EXPECT_EQ(report.verdict, Verdict::pass) << failure_text(report);
}

TEST(FarArrays, ShowAResultThatIsNotWrittenThere) {
  EXPECT_EQ(far_rows("zero_past_32_bits").verdict, Verdict::fail);
}

/// Its dbias has no elements, and no address either.
TEST(FarArrays, AreJudgedBesideAResultOfNothing) {
  const auto report = far<CceOperation>("full_cce", "far-tokens", CceOperation::needle("H", 4097));
  EXPECT_EQ(report.verdict, Verdict::pass) << failure_text(report);
}

/// No verdict on the kernel, which may be right: it needs memory for all V H sums, or nobody waited.
TEST(FarArrays, AreNotReachedByAKernelThatCopiesThem) {
  const auto report = far<CceOperation>("full_cce", "far-entries", CceOperation::needle("H", 4097));
  EXPECT_EQ(report.verdict, Verdict::skipped);
  EXPECT_THAT(report.skipped, Contains(Key(HasSubstr("it has no memory for arrays past 2^32 elements, or fails"))));
}

TEST(FarArrays, AreNotReachedByASlowKernel) {
  const auto report = far_rows("full_ctc", 0.5);
  EXPECT_EQ(report.verdict, Verdict::skipped);
  EXPECT_THAT(report.skipped, Contains(Key(HasSubstr("needs more than 1.5 s for arrays past 2^32 elements"))));
}

}  // namespace
}  // namespace assay::validation::transport
