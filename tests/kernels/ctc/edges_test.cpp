// What generated problems do not reach: no rows, no frames at all, numbers past the domain, many slots, long rows.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "reference/ctc/batch.h"
#include "tests/kernels/ctc/bench.h"
#include "tests/kernels/ctc/cases.h"
#include "tests/matchers.h"

namespace assay::metal::test {
namespace {

using reference::Reduction;

constexpr float infinity = std::numeric_limits<float>::infinity();

class CtcEdges : public testing::TestWithParam<SizeClass> {
 protected:
  CtcOutcome run(const CtcCase& c, bool with_gradient = true) {
    CtcOutcome outcome = bench_.run(c.view(), {.size = GetParam(), .with_gradient = with_gradient});
    EXPECT_EQ(bench_.reports(), "");
    return outcome;
  }

 private:
  CtcBench bench_;
};

TEST_P(CtcEdges, NoRowsHaveASumOfZero) {
  CtcCase c = some_case(3, {});
  for (const Reduction reduction : {Reduction::sum, Reduction::mean}) {
    c.reduction = reduction;
    EXPECT_THAT(run(c).loss, ElementsAre(0.0F));
  }
}

TEST_P(CtcEdges, NoFramesHaveOneAlignmentOfNoLabels) {
  CtcCase c = some_case(3, {0, 2});
  c.T = 0;
  c.input_lengths = {0, 0};
  c.activations.clear();
  EXPECT_THAT(run(c).loss, ElementsAre(0.0F, infinity));
  EXPECT_THAT(run(c, false).loss, ElementsAre(0.0F, infinity));
  c.reduction = Reduction::sum;
  EXPECT_THAT(run(c).loss, ElementsAre(infinity));
  c.zero_infinity = true;
  EXPECT_THAT(run(c).loss, ElementsAre(0.0F));
}

/// Logarithms, of the plain path, have no room for them.
class CtcScaledEdges : public CtcEdges {};

TEST_P(CtcScaledEdges, NumbersPastTheDomainAreNumbersStill) {
  validation::Random random(3);
  CtcCase c = some_case(5, {7, 12});
  for (float& a : c.activations) a = random.pick({-3e38F, 3e38F, 0.0F, 1e10F, -1e7F, 0x1p21F});
  for (const bool with_gradient : {true, false}) {
    const CtcOutcome outcome = run(c, with_gradient);
    for (const float loss : outcome.loss) EXPECT_GE(loss, 0.0F);
    for (const float gradient : outcome.gradient) EXPECT_LE(std::abs(gradient), 1.0F);
  }
}

TEST_P(CtcEdges, EveryLabelOfItsOwnClass) {
  CtcCase c = some_case(20, {15});
  std::vector<std::int64_t> labels;
  for (std::int64_t k = 0; k < 16; ++k)
    if (k != c.blank) labels.push_back(k);
  set_targets(c, {labels});
  const auto exact = reference::ctc_outcome<double>(c.view());
  const CtcOutcome outcome = run(c);
  EXPECT_NEAR(outcome.loss[0], exact.loss[0], 1e-6 * exact.loss[0]);
  const double bound = GetParam() == SizeClass::plain ? 1e-4 : 1e-6;
  for (std::size_t i = 0; i < exact.gradient.size(); ++i) EXPECT_NEAR(outcome.gradient[i], exact.gradient[i], bound);
}

constexpr SizeClass scaled[] = {SizeClass::states_2, SizeClass::states_4, SizeClass::states_8, SizeClass::device};

INSTANTIATE_TEST_SUITE_P(Scaled, CtcEdges, testing::ValuesIn(scaled),
                         [](const auto& size) { return "of_" + name_of(size.param); });
INSTANTIATE_TEST_SUITE_P(Plain, CtcEdges, testing::Values(SizeClass::plain),
                         [](const auto& size) { return "of_" + name_of(size.param); });
INSTANTIATE_TEST_SUITE_P(All, CtcScaledEdges, testing::ValuesIn(scaled),
                         [](const auto& size) { return "of_" + name_of(size.param); });

/// More states than the registers of some simdgroups hold.
TEST(CtcLongRows, AreRight) {
  emulator::EmulatorOptions options;
  options.is_checked = false;
  CtcBench bench(options);
  for (const SizeClass size : {SizeClass::states_8, SizeClass::device}) {
    CtcCase c = some_case(30, {900});
    const auto exact = reference::ctc_outcome<double>(c.view());
    const CtcOutcome outcome = bench.run(c.view(), {.size = size});
    EXPECT_NEAR(outcome.loss[0], exact.loss[0], 1e-6 * exact.loss[0]);
    for (std::size_t i = 0; i < exact.gradient.size(); ++i)
      ASSERT_NEAR(outcome.gradient[i], exact.gradient[i], 1e-5) << i;
  }
}

}  // namespace
}  // namespace assay::metal::test
