// The emulator's four checks find nothing in the kernels, lint nothing in their text, and no result depends on the
// order in which threads run.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "metal/kernels/ctc/interface.h"
#include "tests/kernels/ctc/bench.h"
#include "tests/kernels/ctc/cases.h"
#include "tests/kernels/emulated.h"

namespace assay::metal::test {
namespace {

struct Checked {
  SizeClass size;
  std::int64_t labels;              ///< of the longest row
  std::uint64_t group_threads = 0;  ///< more than the states need, or fewer, over which the threads loop
  const char* emissions = "";
};

constexpr Checked sizes[] = {{SizeClass::states_2, 31},    {SizeClass::states_2, 2},
                             {SizeClass::states_2, 32},    {SizeClass::states_2, 70, 0, "held_"},
                             {SizeClass::states_2, 9, 96}, {SizeClass::states_4, 40, 0, "wide_"},
                             {SizeClass::states_4, 100},   {SizeClass::states_8, 127},
                             {SizeClass::states_8, 3},     {SizeClass::states_8, 140, 0, "held_"},
                             {SizeClass::device, 40},      {SizeClass::device, 70, 32},
                             {SizeClass::device, 20, 96},  {SizeClass::plain, 20},
                             {SizeClass::plain, 40, 32}};

class CtcChecks : public testing::TestWithParam<Checked> {};

std::vector<CtcCase> cases_of(const Checked& size) {
  CtcCase edges = edge_case(5, size.labels), log_probs = edges;
  edges.reduction = reference::Reduction::mean;
  log_probs.variable = reference::CtcVariable::log_probs;
  log_probs.input = reference::CtcInput::log_probs;
  log_probs.zero_infinity = true;
  return {some_case(40, {size.labels, size.labels / 2}), edges, log_probs};
}

CtcVariant variant_of(const Checked& size, bool with_gradient) {
  return {.size = size.size,
          .group_threads = size.group_threads,
          .emissions = size.emissions,
          .with_gradient = with_gradient};
}

TEST_P(CtcChecks, FindNothing) {
  CtcBench bench;
  for (const CtcCase& c : cases_of(GetParam()))
    for (const bool with_gradient : {true, false}) bench.run(c.view(), variant_of(GetParam(), with_gradient));
  EXPECT_EQ(bench.reports(), "");
}

std::vector<std::uint32_t> bits_of(const CtcOutcome& outcome) {
  std::vector<std::uint32_t> bits;
  for (const auto* values : {&outcome.loss, &outcome.gradient})
    for (const float value : *values) bits.push_back(std::bit_cast<std::uint32_t>(value));
  return bits;
}

TEST_P(CtcChecks, OrdersOfThreadsGiveEqualBits) {
  std::vector<std::vector<std::vector<std::uint32_t>>> results;
  for (const emulator::EmulatorOptions& options : thread_orders()) {
    CtcBench bench(options);
    results.emplace_back();
    for (const CtcCase& c : cases_of(GetParam()))
      results.back().push_back(bits_of(bench.run(c.view(), variant_of(GetParam(), true))));
  }
  EXPECT_EQ(results[1], results[0]);
  EXPECT_EQ(results[2], results[0]);
}

/// So a row does not depend on the others of its batch, of which the longest chooses the kernel.
TEST(CtcSizeClasses, GiveEqualBits) {
  emulator::EmulatorOptions options;
  options.is_checked = false;
  CtcBench bench(options);
  const CtcCase few = edge_case(5, 15), many = some_case(5, {15, 127, 100, 60});
  for (const CtcCase* const c : {&few, &many}) {
    const auto expected = bits_of(bench.run(c->view(), {.size = SizeClass::states_8}));
    for (const SizeClass size : {SizeClass::states_2, SizeClass::states_4, SizeClass::states_8, SizeClass::device})
      for (const std::uint64_t threads : {0U, 160U, 1024U})
        EXPECT_EQ(bits_of(bench.run(c->view(), {.size = size, .group_threads = threads})), expected)
            << name_of(size) << ", " << threads << " threads";
  }
}

/// A frame of more than 1024 classes takes several batches, of 256 threads or of 32.
TEST(CtcEmissions, OfAGroupAreThoseOfASimdgroup) {
  emulator::EmulatorOptions options;
  options.is_checked = false;
  CtcBench bench(options);
  for (const std::int64_t C : {3, 129, 256, 1024, 2500}) {
    const CtcCase c = edge_case(C, 4);
    const CtcOutcome held = bench.run(c.view(), {.size = SizeClass::states_2, .emissions = "held_"});
    EXPECT_EQ(bits_of(bench.run(c.view(), {.size = SizeClass::states_2, .emissions = "wide_"})), bits_of(held));
    if (C > ctc::frame_classes) continue;
    const CtcOutcome expected = bench.run(c.view(), {.size = SizeClass::states_2});
    for (std::size_t i = 0; i < expected.gradient.size(); ++i) {
      ASSERT_EQ(std::isnan(held.gradient[i]), std::isnan(expected.gradient[i])) << i;
      if (!std::isnan(expected.gradient[i])) {
        ASSERT_NEAR(held.gradient[i], expected.gradient[i], 2e-7) << i;
      }
    }
  }
}

std::string name_of_size(const testing::TestParamInfo<Checked>& info) {
  const Checked& size = info.param;
  return "of_" + name_of(size.size) + "_labels_" + std::to_string(size.labels) + "_threads_" +
         std::to_string(size.group_threads) + "_" + size.emissions + "emissions";
}

INSTANTIATE_TEST_SUITE_P(All, CtcChecks, testing::ValuesIn(sizes), name_of_size);

TEST(CtcLint, IsContent) {
  expect_lint_accepts(ctc_source_file());
}

}  // namespace
}  // namespace assay::metal::test
