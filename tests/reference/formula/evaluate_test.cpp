// Formulas in double, at any precision and as enclosures, against values that a hand can compute.
#include "reference/formula/evaluate.h"
#include "tests/reference/expect.h"

#include <gtest/gtest.h>

#include <cmath>

namespace assay::reference::formula {
namespace {

using tests::infinity;

const auto input = [](const std::string&) { return std::vector<double>{1, 2, 3, 4}; };

Graph softmax_of_four() {
  Graph graph;
  const auto x = graph.add({Op::input, 4});
  const auto m = graph.add({Op::largest, 1, {x}, 4});
  const auto e = graph.add(
      {Op::exp, 4, {graph.add({Op::subtract, 4, {x, graph.add({Op::gather, 4, {m}, 0, 0, 0, {0, 0, 0, 0}})}})}});
  const auto s = graph.add({Op::gather, 4, {graph.add({Op::sum, 1, {e}, 4})}, 0, 0, 0, {0, 0, 0, 0}});
  graph.outputs = {graph.add({Op::divide, 4, {e, s}})};
  return graph;
}

TEST(FormulaEvaluate, Softmax) {
  const auto values = evaluate<double>(softmax_of_four(), input);
  const double sum = std::exp(-3) + std::exp(-2) + std::exp(-1) + 1;
  EXPECT_NEAR(values.back()[3], 1 / sum, 1e-15);
}

/// A value that is freed too early would be missing where it is read last, by the division.
TEST(FormulaEvaluate, KeepsTheNodesThatAreAskedForAlone) {
  const Graph graph = softmax_of_four();
  const auto all = evaluate<double>(graph, input);
  std::vector<std::vector<double>> seen;
  const auto see = [&](const Node&, const std::vector<double>& result) { seen.push_back(result); };
  const auto kept = std::vector<std::int32_t>{graph.outputs[0], 0};
  const auto values = evaluate<double>(graph, input, see, kept);
  EXPECT_EQ(seen, all);
  for (std::size_t n = 0; n < all.size(); ++n) {
    const bool is_kept = n == 0 || n + 1 == all.size();
    EXPECT_EQ(values[n], is_kept ? all[n] : std::vector<double>()) << n;
  }
}

TEST(FormulaEvaluate, ProductOfMatricesScatterAndCumulativeSum) {
  Graph graph;
  const auto x = graph.add({Op::input, 4});
  graph.add({Op::matmul, 4, {x, x}, 2, 2, 2});
  graph.add({Op::scatter, 2, {x}, 0, 0, 0, {0, 1, 1, 1}});
  const auto sums = graph.add({Op::cumulative_sum, 4, {x}, 2});
  const auto values = evaluate<double>(graph, input);
  EXPECT_EQ(values[1], (std::vector<double>{7, 10, 15, 22}));
  EXPECT_EQ(values[2], (std::vector<double>{1, 9}));
  EXPECT_EQ(values[3], (std::vector<double>{1, 3, 3, 7}));
  for (std::size_t i = 0; i < 4; ++i)
    EXPECT_EQ(detail::element(graph.nodes[static_cast<std::size_t>(sums)], values, i), values[3][i]);
}

TEST(FormulaEvaluate, LogaddexpAndTanhAtTheEdges) {
  EXPECT_EQ(detail::logaddexp(-infinity, -infinity), -infinity);
  EXPECT_EQ(detail::logaddexp(1000.0, 1000.0), 1000 + std::log(2));
  EXPECT_NEAR(detail::tanh(-0.5), std::tanh(-0.5), 1e-16);
  EXPECT_EQ(detail::tanh(1e4), 1);
}

TEST(FormulaEvaluate, TheSizeOfMinusZeroIsZero) {
  EXPECT_FALSE(std::signbit(detail::magnitude(-0.0)));
  EXPECT_FALSE(std::signbit(static_cast<double>(detail::magnitude(BigFloat(-0.0)))));
  EXPECT_EQ(detail::magnitude(-infinity), infinity);
  EXPECT_TRUE(std::isnan(detail::magnitude(std::nan(""))));
}

#if ASSAY_HAVE_CERTIFIED
TEST(FormulaEvaluate, BallsEncloseTheValue) {
  const PrecisionScope scope(40);
  const auto balls = evaluate<Ball>(softmax_of_four(), input);
  const auto values = evaluate<BigFloat>(softmax_of_four(), input);
  for (std::size_t i = 0; i < 4; ++i)
    EXPECT_LT(static_cast<double>(abs(balls.back()[i].midpoint() - values.back()[i])), 1e-38);
}
#endif

}  // namespace
}  // namespace assay::reference::formula
