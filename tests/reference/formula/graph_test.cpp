// A graph refuses nodes that do not fit together.
#include "reference/formula/graph.h"

#include <gtest/gtest.h>

namespace assay::reference::formula {
namespace {

TEST(FormulaGraph, RefusesSizesThatDoNotFit) {
  Graph graph;
  const auto x = graph.add({Op::input, 6});
  const auto y = graph.add({Op::input, 3});
  EXPECT_THROW(graph.add({Op::add, 6, {x, y}}), std::invalid_argument);
  EXPECT_THROW(graph.add({Op::add, 6, {x}}), std::invalid_argument);
  EXPECT_THROW(graph.add({Op::sum, 3, {x}, 3}), std::invalid_argument);
  EXPECT_THROW(graph.add({Op::exp, 6, {7}}), std::invalid_argument);
  EXPECT_THROW(graph.add({Op::gather, 1, {y}, 0, 0, 0, {3}}), std::invalid_argument);
  EXPECT_THROW(graph.add({Op::matmul, 4, {x, y}, 3, 2, 2}), std::invalid_argument);
  EXPECT_THROW(graph.add({Op::cumulative_sum, 6, {x}, 4}), std::invalid_argument);
  EXPECT_THROW(graph.add({Op::cumulative_sum, 6, {y}, 3}), std::invalid_argument);
  EXPECT_THROW(graph.add({Op::cumulative_sum, 6, {x}, 0}), std::invalid_argument);
  EXPECT_THROW(graph.add({Op::take, 6, {x, y}, 2, 0, 0, {0, 0, 0, 1, 1, 1}}), std::invalid_argument);
  EXPECT_THROW(graph.add({Op::take, 3, {x, y}, 2, 0, 0, {0, 1, 3}}), std::invalid_argument);
  EXPECT_THROW(graph.add({Op::take, 3, {x, y}, 4, 0, 0, {0, 0, 0}}), std::invalid_argument);
  EXPECT_THROW(graph.add({Op::take, 3, {x, y}, 0, 0, 0, {0, 0, 0}}), std::invalid_argument);
  EXPECT_THROW(graph.add({Op::add_at, 4, {x, y}, 2, 0, 0, {0, 0, 1}}), std::invalid_argument);
  EXPECT_EQ(graph.add({Op::sum, 3, {x}, 2}), 2);
}

TEST(FormulaGraph, NamesItsOperations) {
  EXPECT_EQ(op_called("logaddexp"), Op::logaddexp);
  EXPECT_EQ(op_called("scatter"), Op::scatter);
  EXPECT_THROW(op_called("fft"), std::invalid_argument);
}

}  // namespace
}  // namespace assay::reference::formula
