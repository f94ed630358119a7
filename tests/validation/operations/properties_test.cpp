// Every property holds of the kernels that are right, on cases enough to mean something.
#include <gtest/gtest.h>

#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/validation/operations/operations.h"
#include "validation/core/report.h"
#include "validation/registry.h"

namespace assay::validation {
namespace {

template <class O>
void expect_to_hold(const Property<O>& property, const std::string& kernel) {
  const auto report = report_on<O>(*kernel_called<O>(kernel), property.name, Samples<O>::cases);
  EXPECT_EQ(report.verdict, Verdict::pass) << failure_text(report);
  EXPECT_EQ(report.cases, Samples<O>::cases);
  EXPECT_LE(report.worst.share, 1);
  std::int64_t skipped = 0;
  for (const auto& [reason, count] : report.skipped) skipped += count;
  EXPECT_GE(report.cases - skipped, report.cases * 3 / 10) << "a property that applies to little proves little";
}

class PropertyOfKernel : public testing::TestWithParam<Check> {};

TEST_P(PropertyOfKernel, Holds) {
  GetParam().run();
}

const std::vector<Check> properties = checks_of_all([]<class O>(O) {
  std::vector<Check> checks;
  for (const std::string& kernel : Samples<O>::kernels())
    for (const Property<O>& property : O::properties()) {
      if (property.is_far || needs_python(property.name)) continue;
      checks.push_back({fmt::format("{}_{}_{}", O::name, kernel, property.name),
                        [&property, kernel] { expect_to_hold(property, kernel); }});
    }
  return checks;
});
INSTANTIATE_TEST_SUITE_P(All, PropertyOfKernel, testing::ValuesIn(properties), check_name);

template <class O>
class Properties : public testing::Test {};
TYPED_TEST_SUITE(Properties, Operations, OperationName);

/// The other faults are the plain kernel's, which is judged above.
TYPED_TEST(Properties, HoldOfTheMetalKernelsBehindFaults) {
  for (const auto& fault : TypeParam::faults()) {
    if (!fault.name.starts_with("metal-")) continue;
    const auto report = report_on<TypeParam>(*fault.healthy, fault.caught_by, 10);
    EXPECT_EQ(report.verdict, Verdict::pass) << fault.name << failure_text(report);
  }
}

/// Shrinking may leave less than a property's profile asks for.
TYPED_TEST(Properties, HoldOfTheSmallestCase) {
  for (const auto& property : TypeParam::properties()) {
    const Finding finding =
        judge(property, Context<TypeParam>{*kernel_called<TypeParam>("plain")}, Samples<TypeParam>::smallest());
    EXPECT_FALSE(is_failure(finding.verdict)) << property.name << finding.explanation;
  }
}

TYPED_TEST(Properties, AreNamedOnceEach) {
  std::set<std::string> names;
  for (const auto& property : TypeParam::properties()) {
    EXPECT_TRUE(names.insert(property.name).second) << property.name;
    EXPECT_FALSE(property.claim.empty()) << property.name;
    EXPECT_EQ(property.name.find_first_of(" =',"), std::string::npos) << "a name is one word of a replay line";
  }
}

TYPED_TEST(Properties, AreJudgedOfKernelsFoundByName) {
  for (const std::string& name : Samples<TypeParam>::names())
    EXPECT_EQ(kernel_called<TypeParam>(name)->info().name, name);
  for (const std::string unknown : {"", "gpu", "fault:", "best-path", "fault:no-such-fault"})
    EXPECT_THROW(kernel_called<TypeParam>(unknown), std::invalid_argument) << unknown;
  for (const std::string name : {"cpu", "metal-emulated"}) EXPECT_NO_THROW(kernel_called<TypeParam>(name));
}

}  // namespace
}  // namespace assay::validation
