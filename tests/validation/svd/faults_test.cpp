// Every planted fault is caught by the property it was planted for, by what it computes, and no property is without
// one: what has never been seen to fail may not be able to.
#include "validation/svd/faults/faults.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "tests/validation/svd/kernels.h"
#include "validation/svd/kernels.h"

namespace assay::validation {
namespace {

using testing::HasSubstr;
using testing::Not;

bool is_metal(const SvdFault& fault) {
  return fault.healthy != plain_svd_kernel();
}

TEST(SvdFaults, AreNamedOnceAndTellTheirStory) {
  std::set<std::string> names;
  for (const SvdFault& fault : SvdOperation::faults()) {
    EXPECT_TRUE(names.insert(fault.name).second) << fault.name;
    EXPECT_EQ(fault.name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-"), std::string::npos) << fault.name;
    EXPECT_GE(fault.description.size(), 8U) << fault.name;
    EXPECT_EQ(fault.kernel->info().name, "fault:" + fault.name);
    EXPECT_EQ(fault.kernel->info().unit_roundoff, fault.healthy->info().unit_roundoff);
    EXPECT_EQ(SvdOperation::kernel("fault:" + fault.name), fault.kernel);
  }
}

TEST(SvdFaults, CoverEveryPropertyAndNoOther) {
  std::set<std::string> with_fault, properties;
  for (const SvdFault& fault : SvdOperation::faults()) with_fault.insert(fault.caught_by);
  for (const auto& property : SvdOperation::properties()) properties.insert(property.name);
  EXPECT_EQ(with_fault, properties);
}

class SvdFaultNumber : public testing::TestWithParam<std::size_t> {};

/// An emulated device takes a thousand times as long as a loop: its faults must show in fewer cases.
TEST_P(SvdFaultNumber, IsCaughtByItsProperty) {
  const SvdFault& fault = SvdOperation::faults()[GetParam()];
  const auto report = svd_report(*fault.kernel, fault.caught_by, is_metal(fault) ? 40 : 100);
  ASSERT_TRUE(is_failure(report.verdict)) << fault.caught_by << " let it pass: " << fault.description;
  if (is_metal(fault) || fault.name == "zero-matrix-refused") return;  // exceptions are what was planted
  EXPECT_THAT(report.failure->explanation, Not(HasSubstr("exception:"))) << "an accident is not what was planted";
}

INSTANTIATE_TEST_SUITE_P(All, SvdFaultNumber, testing::Range(std::size_t{0}, SvdOperation::faults().size()),
                         [](const auto& fault) { return test_name(SvdOperation::faults()[fault.param].name); });

}  // namespace
}  // namespace assay::validation
