// Rows in rising order and positions: ties, NaN, and what balls leave open.
#include "reference/formula/ordering.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "reference/formula/evaluate.h"

namespace assay::reference::formula {
namespace {

Graph of_rows(std::int64_t inner) {
  Graph graph;
  const auto x = graph.add({Op::input, 6, {}, 0, 0, 0, {}, {}, "x"});
  graph.add({Op::sort, 6, {x}, inner});
  graph.add({Op::argsort, 6, {x}, inner});
  return graph;
}

TEST(FormulaOrdering, RowsRiseAndTiesKeepTheirOrder) {
  const Graph graph = of_rows(3);
  const auto values = evaluate<double>(graph, [](const std::string&) { return std::vector<double>{2, 1, 2, 5, 4, 3}; });
  EXPECT_EQ(values[1], (std::vector<double>{1, 2, 2, 3, 4, 5}));
  EXPECT_EQ(values[2], (std::vector<double>{1, 0, 2, 2, 1, 0}));
  for (const std::size_t node : {1U, 2U})
    for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(detail::element(graph.nodes[node], values, i), values[node][i]);
}

TEST(FormulaOrdering, NaNComesLast) {
  const std::vector<double> row = {std::nan(""), 1, -std::numeric_limits<double>::infinity()};
  EXPECT_EQ(detail::order_of<double>(row), (std::vector<std::size_t>{2, 1, 0}));
}

TEST(FormulaOrdering, RanksThatIntervalsLeaveOpen) {
  const std::vector<double> lower = {0, 1, 1.5, 9}, upper = {0, 2, 3, 9};
  const auto candidates = detail::candidates_of(lower, upper);
  const std::vector<std::pair<std::int64_t, std::int64_t>> expected = {{0, 0}, {1, 2}, {1, 2}, {3, 3}};
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(candidates[i].first, expected[i].first);
    EXPECT_EQ(candidates[i].last, expected[i].second);
  }
}

#if ASSAY_HAVE_CERTIFIED
TEST(FormulaOrdering, BallsEncloseEveryOrderOfTheirMembers) {
  const PrecisionScope scope(40);
  const std::vector<Ball> row = {Ball(4), Ball::between(BigFloat(1), BigFloat(3)), Ball(2)};
  const auto sorted = detail::sorted<Ball>(row), ranked = detail::ranked<Ball>(row);
  EXPECT_TRUE(sorted[0].contains(Ball(1)) && sorted[0].contains(Ball(2)) && sorted[1].contains(Ball(3)));
  EXPECT_TRUE(sorted[2].is_exact() && sorted[2].contains(Ball(4)));
  EXPECT_TRUE(ranked[0].contains(Ball(1)) && ranked[0].contains(Ball(2)) && !ranked[0].contains(Ball(0)));
  EXPECT_TRUE(ranked[2].is_exact() && ranked[2].contains(Ball(0)));
}

TEST(FormulaOrdering, ExactBallsAreOrderedAsNumbersAre) {
  const PrecisionScope scope(40);
  const std::vector<Ball> row = {Ball(2), Ball(1), Ball(2)};
  const auto ranked = detail::ranked<Ball>(row);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_TRUE(ranked[i].is_exact());
  EXPECT_TRUE(ranked[1].contains(Ball(0)) && ranked[2].contains(Ball(2)));
}
#endif

}  // namespace
}  // namespace assay::reference::formula
