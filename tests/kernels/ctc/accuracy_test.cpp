// How far off the kernels are at the sizes people train with, against float64 of unlimited range (whose own error is
// below 1e-12): the goals of metal/kernels/ctc/README.md.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "reference/ctc/batch.h"
#include "tests/kernels/ctc/bench.h"
#include "validation/ctc/operation.h"

namespace assay::metal::test {
namespace {

struct Goal {
  std::int64_t T, C, S;
  double scale;
  double gradient;  ///< largest absolute error of dL/dlogits
  SizeClass size;
};

class CtcAccuracy : public testing::TestWithParam<Goal> {};

TEST_P(CtcAccuracy, IsWhatTrainingNeeds) {
  const Goal& goal = GetParam();
  const auto c = validation::CtcOperation::sized_case(goal.T, goal.C, goal.S, goal.scale, 7);
  const auto exact = reference::ctc_outcome<double>(c.view());
  emulator::EmulatorOptions options;
  options.is_checked = false;
  const CtcOutcome outcome = CtcBench(options).run(c.view(), {.size = goal.size, .group_threads = 0});
  double worst = 0;
  for (std::size_t i = 0; i < exact.gradient.size(); ++i) {
    const double error = std::abs(double{outcome.gradient[i]} - exact.gradient[i]);
    worst = error <= worst ? worst : error;  // a NaN stays
    if (std::isnan(error)) break;
  }
  const double loss_error = std::abs(double{outcome.loss[0]} - exact.loss[0]) / std::max(1.0, exact.loss[0]);
  RecordProperty("gradient", fmt::format("{:.2g}", worst));
  EXPECT_LE(worst, goal.gradient);
  EXPECT_LE(loss_error, 1e-6);
}

std::string name_of_goal(const testing::TestParamInfo<Goal>& info) {
  const Goal& goal = info.param;
  return fmt::format("T{}_C{}_S{}_x{}_{}", goal.T, goal.C, goal.S, goal.scale, name_of(goal.size));
}

INSTANTIATE_TEST_SUITE_P(
    All, CtcAccuracy,
    testing::Values(Goal{150, 28, 75, 1, 1e-6, SizeClass::states_8}, Goal{150, 28, 75, 1, 1e-6, SizeClass::states_2},
                    Goal{150, 5000, 75, 1, 1e-6, SizeClass::states_8}, Goal{150, 28, 75, 50, 1e-6, SizeClass::states_8},
                    Goal{150, 28, 75, 50, 1e-6, SizeClass::device}, Goal{2000, 64, 400, 1, 1e-5, SizeClass::states_4},
                    Goal{2000, 64, 200, 50, 1e-5, SizeClass::states_2},
                    Goal{2000, 64, 400, 50, 1e-5, SizeClass::states_4},
                    Goal{2000, 64, 400, 50, 1e-5, SizeClass::device}),
    name_of_goal);

}  // namespace
}  // namespace assay::metal::test
