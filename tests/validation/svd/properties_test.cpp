// Every property holds of the kernel without a fault, on cases enough to mean something.
#include <gtest/gtest.h>

#include <set>
#include <stdexcept>
#include <string>

#include "tests/validation/svd/kernels.h"
#include "validation/core/report.h"
#include "validation/svd/kernels.h"

namespace assay::validation {
namespace {

class SvdPropertyNumber : public testing::TestWithParam<std::size_t> {};

TEST_P(SvdPropertyNumber, HoldsOfThePlainKernel) {
  const SvdProperty& property = SvdOperation::properties()[GetParam()];
  const auto report = svd_report(*plain_svd_kernel(), property.name, 100);
  EXPECT_EQ(report.verdict, Verdict::pass) << failure_text(report, "plain", false) << report.mistrust;
  EXPECT_EQ(report.cases, 100);
  EXPECT_LE(report.worst.share, 1);
  std::int64_t skipped = 0;
  for (const auto& [reason, count] : report.skipped) skipped += count;
  EXPECT_GE(report.cases - skipped, 40) << "a property that applies to little proves little";
}

INSTANTIATE_TEST_SUITE_P(All, SvdPropertyNumber, testing::Range(std::size_t{0}, SvdOperation::properties().size()),
                         [](const auto& one) { return test_name(SvdOperation::properties()[one.param].name); });

/// The others are the plain kernel with a fault, and that is judged above.
TEST(SvdProperties, HoldOfTheMetalKernelsBehindFaults) {
  for (const SvdFault& fault : SvdOperation::faults()) {
    if (fault.healthy == plain_svd_kernel()) continue;
    const auto report = svd_report(*fault.healthy, fault.caught_by, 10);
    EXPECT_EQ(report.verdict, Verdict::pass) << fault.name << failure_text(report, "metal", false);
  }
}

TEST(SvdProperties, AreNamedOnceEach) {
  std::set<std::string> names;
  for (const auto& property : SvdOperation::properties()) {
    EXPECT_TRUE(names.insert(property.name).second) << property.name;
    EXPECT_FALSE(property.claim.empty()) << property.name;
    EXPECT_LE(property.claim.size(), 49U) << "or the table is wider than 100 columns: " << property.name;
    EXPECT_EQ(property.name.find_first_of(" =',"), std::string::npos) << "a name is one word of a replay line";
  }
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

TEST(SvdKernels, AreFoundByName) {
  for (const std::string name : {"cpu", "plain", "fault:three-sweeps", "metal-emulated", "metal-plain"})
    EXPECT_EQ(SvdOperation::kernel(name)->info().name, name);
  for (const std::string unknown : {"", "gpu", "fault:", "three-sweeps", "fault:skip-over-repeat"})
    EXPECT_THROW(SvdOperation::kernel(unknown), std::invalid_argument) << unknown;
  for (const auto& name : SvdOperation::shipped_kernels()) EXPECT_NO_THROW(SvdOperation::kernel(name));
}

}  // namespace
}  // namespace assay::validation
