// Activations and gradients of 16 bits: the arithmetic is that of float, and a result is rounded once.
#include <gtest/gtest.h>

#include <cmath>

#include "metal/cpu/half.h"
#include "tests/kernels/ctc/bench.h"
#include "tests/kernels/ctc/cases.h"

namespace assay::metal::test {
namespace {

template <class D>
CtcCase in_type(CtcCase c) {
  for (float& a : c.activations) a = static_cast<float>(static_cast<D>(double{a}));
  return c;
}

template <class D>
void expect_rounded(const std::string& type, SizeClass size, const CtcCase& problem) {
  const CtcCase c = in_type<D>(problem);
  CtcBench bench;
  const CtcOutcome narrow = bench.run(c.view(), {.size = size, .type = type});
  const CtcOutcome wide = bench.run(c.view(), {.size = size});
  EXPECT_EQ(narrow.loss, wide.loss);
  for (std::size_t i = 0; i < wide.gradient.size(); ++i) {
    const float expected = static_cast<float>(static_cast<D>(double{wide.gradient[i]}));
    EXPECT_TRUE(narrow.gradient[i] == expected || (std::isnan(narrow.gradient[i]) && std::isnan(expected)))
        << i << ": " << narrow.gradient[i] << " where the float is " << wide.gradient[i];
  }
  EXPECT_EQ(bench.reports(), "");
}

class CtcTypes : public testing::TestWithParam<SizeClass> {};

TEST_P(CtcTypes, AreRoundedOnce) {
  CtcCase edges = edge_case(6, 7);
  for (auto& upstream : std::vector<float>{1, -0.5F, 2, 0.25F, 3, 1}) edges.upstream.push_back(upstream);
  expect_rounded<Half>("half", GetParam(), some_case(40, {15, 4}));
  expect_rounded<BFloat16>("bfloat", GetParam(), some_case(40, {15, 4}));
  edges.input_lengths[1] = 0;  // else losses are infinite, which are not equal to be told apart from NaN
  expect_rounded<BFloat16>("bfloat", GetParam(), edges);
}

INSTANTIATE_TEST_SUITE_P(All, CtcTypes,
                         testing::Values(SizeClass::states_2, SizeClass::states_4, SizeClass::states_8,
                                         SizeClass::device, SizeClass::plain),
                         [](const auto& size) { return "of_" + name_of(size.param); });

}  // namespace
}  // namespace assay::metal::test
