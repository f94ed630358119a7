// Elements by indices that are data: in double, where an index is none, and as balls of several indices.
#include "reference/formula/indexing.h"

#include <gtest/gtest.h>

#include <cmath>

#include "reference/formula/evaluate.h"

namespace assay::reference::formula {
namespace {

const auto four_numbers = [](const std::string&) { return std::vector<double>{1, 2, 3, 4}; };

/// x = 1, 2, 3, 4 in rows of two.
struct Indexed {
  Graph graph;
  std::size_t taken = 0, added = 0;

  explicit Indexed(const std::vector<double>& at) {
    const auto x = graph.add({Op::input, 4});
    const auto indices = graph.add({Op::constant, 4, {}, 0, 0, 0, {}, at});
    taken = static_cast<std::size_t>(graph.add({Op::take, 4, {x, indices}, 2, 0, 0, {0, 0, 1, 1}}));
    added = static_cast<std::size_t>(graph.add({Op::add_at, 6, {x, indices}, 2, 0, 0, {0, 0, 2, 2}}));
  }
};

TEST(FormulaIndexing, TakesAndAddsByIndex) {
  const Indexed indexed({1, 1, 0, 1});
  const auto values = evaluate<double>(indexed.graph, four_numbers);
  EXPECT_EQ(values[indexed.taken], (std::vector<double>{2, 2, 3, 4}));
  EXPECT_EQ(values[indexed.added], (std::vector<double>{0, 3, 0, 0, 3, 4}));
  for (const auto node : {indexed.taken, indexed.added})
    for (std::size_t i = 0; i < values[node].size(); ++i)
      EXPECT_EQ(detail::element(indexed.graph.nodes[node], values, i), values[node][i]);
}

TEST(FormulaIndexing, AnIndexOfNoElementGivesNaN) {
  for (const double at : {-1.0, 2.0, 0.5, std::nan("")}) {
    const Indexed indexed({at, 1, 0, 1});
    const auto values = evaluate<double>(indexed.graph, four_numbers);
    EXPECT_TRUE(std::isnan(values[indexed.taken][0])) << at;
    EXPECT_EQ(values[indexed.taken][1], 2);
    EXPECT_TRUE(std::isnan(values[indexed.added][0]) && std::isnan(values[indexed.added][1])) << at;
    EXPECT_EQ(values[indexed.added][5], 4) << "of another row";
  }
}

#if ASSAY_HAVE_CERTIFIED
TEST(FormulaIndexing, ABallOfSeveralIndicesEnclosesAllOfThem) {
  const PrecisionScope scope(40);
  const Indexed indexed({0, 1, 0, 1});
  Values<Ball> values = evaluate<Ball>(indexed.graph, four_numbers);
  values[1][0] = Ball::between(BigFloat(0), BigFloat(1));
  const Ball either = detail::element(indexed.graph.nodes[indexed.taken], values, 0);
  EXPECT_TRUE(either.contains(Ball(1)) && either.contains(Ball(2)));
  const Ball perhaps = detail::element(indexed.graph.nodes[indexed.added], values, 1);
  EXPECT_TRUE(perhaps.contains(Ball(2)) && perhaps.contains(Ball(3)));
}
#endif

}  // namespace
}  // namespace assay::reference::formula
