// Every property holds of the kernels that are right, on cases enough to mean something.
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <tuple>

#include "tests/validation/ctc/property_named.h"
#include "validation/ctc/coverage.h"
#include "validation/ctc/kernels.h"
#include "validation/ctc/operation.h"

namespace assay::validation {
namespace {

class Property : public testing::TestWithParam<std::tuple<std::string, std::size_t>> {};

TEST_P(Property, Holds) {
  const auto& [kernel, index] = GetParam();
  Coverage coverage(ctc_classes());
  const auto named = CtcOperation::kernel(kernel);
  const auto report =
      run_property(CtcOperation::properties()[index], {*named}, {.cases = 60, .shrink_budget = 200, .given = {}}, coverage);
  EXPECT_EQ(report.verdict, Verdict::pass) << (report.failure ? report.failure->explanation : report.mistrust);
  EXPECT_EQ(report.cases, 60);
  EXPECT_LE(report.worst.share, 1);
  std::int64_t skipped = 0;
  for (const auto& [reason, count] : report.skipped) skipped += count;
  EXPECT_GE(report.cases - skipped, 20) << "a property that applies to little proves little";
}

std::string name_of_pair(const testing::TestParamInfo<Property::ParamType>& pair) {
  const auto& [kernel, index] = pair.param;
  return kernel + "_" + test_name(CtcOperation::properties()[index].name);
}

INSTANTIATE_TEST_SUITE_P(All, Property,
                         testing::Combine(testing::Values("plain", "cpu"),
                                          testing::Range(std::size_t{0}, CtcOperation::properties().size())),
                         name_of_pair);

TEST(Properties, AreNamedOnceEach) {
  std::set<std::string> names;
  for (const auto& property : CtcOperation::properties()) {
    EXPECT_TRUE(names.insert(property.name).second) << property.name;
    EXPECT_FALSE(property.claim.empty()) << property.name;
    EXPECT_EQ(property.name.find_first_of(" =',"), std::string::npos) << "a name is one word of a replay line";
  }
}

TEST(Kernels, AreFoundByName) {
  EXPECT_EQ(CtcOperation::kernel("cpu")->info().name, "cpu");
  EXPECT_EQ(CtcOperation::kernel("plain")->info().name, "plain");
  EXPECT_EQ(CtcOperation::kernel("fault:best-path")->info().name, "fault:best-path");
  for (const std::string unknown : {"", "gpu", "fault:", "best-path"}) {
    EXPECT_THROW(CtcOperation::kernel(unknown), std::invalid_argument) << unknown;
  }
  for (const auto& name : CtcOperation::shipped_kernels()) EXPECT_NO_THROW(CtcOperation::kernel(name));
}

}  // namespace
}  // namespace assay::validation
