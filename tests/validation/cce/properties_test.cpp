// Every property holds of the kernel without a fault, on cases enough to mean something.
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "tests/validation/cce/kernels.h"
#include "validation/cce/kernels.h"
#include "validation/core/report.h"

namespace assay::validation {
namespace {

class CcePropertyNumber : public testing::TestWithParam<std::size_t> {};

/// As many cases as find the faults.
TEST_P(CcePropertyNumber, HoldsOfThePlainKernel) {
  const CceProperty& property = CceOperation::properties()[GetParam()];
  const auto report = cce_report(*plain_cce_kernel(), property.name, 200);
  EXPECT_EQ(report.verdict, Verdict::pass) << failure_text(report, "plain", false) << report.mistrust;
  EXPECT_EQ(report.cases, 200);
  EXPECT_LE(report.worst.share, 1);
  std::int64_t skipped = 0;
  for (const auto& [reason, count] : report.skipped) skipped += count;
  EXPECT_GE(report.cases - skipped, 60) << "a property that applies to little proves little";
}

INSTANTIATE_TEST_SUITE_P(All, CcePropertyNumber, testing::Range(std::size_t{0}, CceOperation::properties().size()),
                         [](const auto& one) { return test_name(CceOperation::properties()[one.param].name); });

/// The others are the plain kernel with a fault, and that is judged above.
TEST(CceProperties, HoldOfTheMetalKernelsBehindFaults) {
  for (const CceFault& fault : CceOperation::faults()) {
    if (fault.healthy == plain_cce_kernel()) continue;
    const auto report = cce_report(*fault.healthy, fault.caught_by, 20);
    EXPECT_EQ(report.verdict, Verdict::pass) << fault.name << failure_text(report, "metal", false);
  }
}

TEST(CceProperties, AreNamedOnceEach) {
  std::set<std::string> names;
  for (const auto& property : CceOperation::properties()) {
    EXPECT_TRUE(names.insert(property.name).second) << property.name;
    EXPECT_FALSE(property.claim.empty()) << property.name;
    EXPECT_LE(property.claim.size(), 48U) << "or the table is wider than 100 columns: " << property.name;
    EXPECT_EQ(property.name.find_first_of(" =',"), std::string::npos) << "a name is one word of a replay line";
  }
}

TEST(CceKernels, AreFoundByName) {
  for (const std::string name : {"cpu", "plain", "fault:mean-over-all-tokens"})
    EXPECT_EQ(CceOperation::kernel(name)->info().name, name);
  for (const std::string unknown : {"", "gpu", "fault:", "mean-over-all-tokens", "fault:skip-over-repeat"})
    EXPECT_THROW(CceOperation::kernel(unknown), std::invalid_argument) << unknown;
  for (const auto& name : CceOperation::shipped_kernels()) EXPECT_NO_THROW(CceOperation::kernel(name));
}

}  // namespace
}  // namespace assay::validation
