// Every property of the gate holds of every size class, under the bounds of float32 inside and outside.
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <tuple>

#include "tests/kernels/ctc/kernel.h"
#include "tests/validation/ctc/kernels.h"
#include "validation/ctc/operation.h"

namespace assay::metal::test {
namespace {

using validation::CtcOperation;

class CtcProperties : public testing::TestWithParam<std::tuple<SizeClass, std::size_t>> {};

TEST_P(CtcProperties, Hold) {
  const auto& [size, index] = GetParam();
  // An emulated buffer is a contiguous copy, this kernel is not one that the registry can make afresh, and it declares
  // no random rounding.
  const std::set<std::string> not_for_it = {"far-rows", "history", "random-rounding", "strides"};
  const bool is_skipped = not_for_it.contains(CtcOperation::properties()[index].name);
  const EmulatedCtcKernel kernel(size);
  validation::Coverage coverage(validation::class_names<validation::CtcOperation>());
  const auto report = run_property(CtcOperation::properties()[index], {kernel},
                                   {.cases = 40, .shrink_budget = 100, .given = {}}, coverage);
  EXPECT_EQ(report.verdict, is_skipped ? validation::Verdict::skipped : validation::Verdict::pass)
      << (report.failure ? report.failure->explanation : report.why_mistrusted());
  EXPECT_LE(report.worst.share, 1) << report.worst_case;
  EXPECT_EQ(kernel.reports(), "");
}

std::string name_of_pair(const testing::TestParamInfo<CtcProperties::ParamType>& pair) {
  const auto& [size, index] = pair.param;
  return "of_" + name_of(size) + "_" + validation::test_name(CtcOperation::properties()[index].name);
}

INSTANTIATE_TEST_SUITE_P(All, CtcProperties,
                         testing::Combine(testing::Values(SizeClass::states_2, SizeClass::states_4, SizeClass::states_8,
                                                          SizeClass::device, SizeClass::plain),
                                          testing::Range(std::size_t{0}, CtcOperation::properties().size())),
                         name_of_pair);

}  // namespace
}  // namespace assay::metal::test
