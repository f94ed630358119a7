// Every planted fault is caught by the property it was planted for, by what it computes, and no property is without
// one: what has never been seen to fail may not be able to.
#include "validation/core/fault.h"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "tests/matchers.h"
#include "tests/validation/operations/operations.h"
#include "validation/registry.h"

namespace assay::validation {
namespace {

template <class O>
class Faults : public testing::Test {};
TYPED_TEST_SUITE(Faults, Operations, OperationName);

TYPED_TEST(Faults, AreNamedOnceAndDescribed) {
  std::set<std::string> names;
  for (const auto& fault : TypeParam::faults()) {
    EXPECT_TRUE(names.insert(fault.name).second) << fault.name;
    EXPECT_EQ(fault.name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-"), std::string::npos) << fault.name;
    EXPECT_GE(fault.description.size(), 8U) << fault.name;
    EXPECT_EQ(fault.kernel->info().name, "fault:" + fault.name);
    EXPECT_GE(fault.kernel->info().unit_roundoff, fault.healthy->info().unit_roundoff) << "it claims no more";
    EXPECT_EQ(kernel_called<TypeParam>("fault:" + fault.name)->info().name, fault.kernel->info().name);
  }
}

TYPED_TEST(Faults, CoverEveryPropertyAndNoOther) {
  std::set<std::string> with_fault, properties;
  for (const auto& fault : TypeParam::faults()) with_fault.insert(fault.caught_by);
  for (const auto& property : TypeParam::properties())
    if (!needs_python(property.name)) properties.insert(property.name);
  EXPECT_EQ(with_fault, properties);
}

class PlantedFault : public testing::TestWithParam<Check> {};

TEST_P(PlantedFault, IsCaughtByItsProperty) {
  GetParam().run();
}

/// A full run has the sizes of a quick one. On a busy machine calls seem slow, and large sizes are left out for it:
/// then they are judged however long they take.
template <class O>
auto report_on_large_sizes(const Fault<O>& fault) {
  if (auto quick = report_on<O>(*fault.kernel, fault.caught_by, 0, Reach::quick); is_failure(quick.verdict))
    return quick;
  auto report = report_on<O>(*fault.kernel, fault.caught_by, 0, Reach::full);
  const bool left_out =
      std::ranges::any_of(report.skip_causes, [](const auto& one) { return one.second == SkipCause::too_slow; });
  return left_out && !is_failure(report.verdict) ? report_on<O>(*fault.kernel, fault.caught_by, 0, Reach::thorough)
                                                 : report;
}

/// An emulated device takes a thousand times as long as a loop: its faults must show in fewer cases.
template <class O>
void expect_caught(const Fault<O>& fault) {
  const bool is_metal = fault.name.starts_with("metal-");
  const int cases = is_metal ? Samples<O>::metal_fault_cases : Samples<O>::fault_cases;
  const auto report = fault.needs_reach   ? report_on_large_sizes(fault)
                      : fault.needs_sizes ? report_on<O>(*fault.kernel, fault.caught_by, 0, {}, O::sized_cases())
                                          : report_on<O>(*fault.kernel, fault.caught_by, cases);
  ASSERT_TRUE(is_failure(report.verdict)) << fault.caught_by << " let it pass: " << fault.description;
  if (is_metal || fault.name == "zero-matrix-refused") return;  // exceptions are what was planted
  EXPECT_THAT(report.failure->explanation, Not(HasSubstr("exception:"))) << "an accident is not what was planted";
}

const std::vector<Check> faults = checks_of_all([]<class O>(O) {
  std::vector<Check> checks;
  for (const Fault<O>& fault : O::faults())
    checks.push_back({O::name + std::string("_") + fault.name, [&fault] { expect_caught(fault); }});
  return checks;
});
INSTANTIATE_TEST_SUITE_P(All, PlantedFault, testing::ValuesIn(faults), check_name);

}  // namespace
}  // namespace assay::validation
