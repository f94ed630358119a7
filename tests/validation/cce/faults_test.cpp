// Every planted fault is caught by the property it was planted for, by what it computes, and no property is without
// one: what has never been seen to fail may not be able to.
#include "validation/cce/faults/faults.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "tests/validation/cce/kernels.h"
#include "validation/cce/kernels.h"

namespace assay::validation {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(CceFaults, AreNamedOnceAndTellTheirStory) {
  std::set<std::string> names;
  for (const CceFault& fault : CceOperation::faults()) {
    EXPECT_TRUE(names.insert(fault.name).second) << fault.name;
    EXPECT_EQ(fault.name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-"), std::string::npos) << fault.name;
    EXPECT_GE(fault.description.size(), 8U) << fault.name;
    EXPECT_EQ(fault.kernel->info().name, "fault:" + fault.name);
    EXPECT_EQ(fault.kernel->info().unit_roundoff, fault.healthy->info().unit_roundoff);
    EXPECT_EQ(CceOperation::kernel("fault:" + fault.name), fault.kernel);
  }
}

TEST(CceFaults, CoverEveryPropertyAndNoOther) {
  std::set<std::string> with_fault, properties;
  for (const CceFault& fault : CceOperation::faults()) with_fault.insert(fault.caught_by);
  for (const auto& property : CceOperation::properties()) properties.insert(property.name);
  EXPECT_EQ(with_fault, properties);
}

class CceFaultNumber : public testing::TestWithParam<std::size_t> {};

TEST_P(CceFaultNumber, IsCaughtByItsProperty) {
  const CceFault& fault = CceOperation::faults()[GetParam()];
  const auto report = cce_report(*fault.kernel, fault.caught_by, 200);
  ASSERT_TRUE(is_failure(report.verdict)) << fault.caught_by << " let it pass: " << fault.description;
  if (fault.healthy != plain_cce_kernel()) return;  // what the emulator reports reaches the gate as an exception
  EXPECT_THAT(report.failure->explanation, Not(HasSubstr("exception:"))) << "an accident is not what was planted";
}

INSTANTIATE_TEST_SUITE_P(All, CceFaultNumber, testing::Range(std::size_t{0}, CceOperation::faults().size()),
                         [](const auto& fault) { return test_name(CceOperation::faults()[fault.param].name); });

}  // namespace
}  // namespace assay::validation
