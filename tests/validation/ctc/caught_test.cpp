// Every planted fault is caught by the property it was planted for, within the default number of cases.
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "tests/validation/ctc/property_named.h"
#include "validation/ctc/coverage.h"
#include "validation/ctc/faults/faults.h"
#include "validation/ctc/operation.h"

namespace assay::validation {
namespace {

class Fault : public testing::TestWithParam<std::size_t> {};

TEST_P(Fault, IsCaughtByItsProperty) {
  const CtcFault& fault = CtcOperation::faults()[GetParam()];
  Coverage coverage(ctc_classes());
  const auto report = run_property(property_named(fault.caught_by), {*fault.kernel},
                                   {.cases = 200, .shrink_budget = 0, .given = {}}, coverage);
  EXPECT_TRUE(is_failure(report.verdict)) << fault.caught_by << " let it pass: " << fault.description;
}

INSTANTIATE_TEST_SUITE_P(All, Fault, testing::Range(std::size_t{0}, CtcOperation::faults().size()),
                         [](const auto& fault) { return test_name(CtcOperation::faults()[fault.param].name); });

/// A property that no fault was planted for has never been seen to fail.
TEST(Faults, CoverEveryProperty) {
  std::set<std::string> with_fault;
  for (const CtcFault& fault : CtcOperation::faults()) with_fault.insert(fault.caught_by);
  for (const auto& property : CtcOperation::properties()) EXPECT_TRUE(with_fault.contains(property.name)) << property.name;
}

}  // namespace
}  // namespace assay::validation
