// Positions that errors leave open, and elements by their rank: no perturbation within the errors goes beyond.
#include "validation/formula/choices.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "validation/core/infinity.h"
#include "validation/core/random.h"

namespace assay::validation::formula {
namespace {

/// A row of x and its argsort.
struct Sorted {
  Graph graph;
  Doubles values, errors;

  Sorted(const std::vector<double>& x, const std::vector<double>& error) : errors{error, {}} {
    const auto size = std::ssize(x);
    graph.add({Op::constant, size, {}, 0, 0, 0, {}, x});
    graph.outputs = {graph.add({Op::argsort, size, {0}, size})};
    values = reference::formula::evaluate<double>(graph, [](const std::string&) { return std::vector<double>(); });
  }
  std::string wrong_in(const std::vector<double>& got) const {
    const auto wrong = Choices(graph, 1, values, errors).wrong_in(got);
    return wrong ? wrong->why : "";
  }
};

TEST(FormulaChoices, EachElementThatMayHaveTheRankIsRight) {
  const Sorted row({1, 2, 2.25, 7}, {0, 0.2, 0.2, 0});
  EXPECT_EQ(row.wrong_in({0, 1, 2, 3}), "");
  EXPECT_EQ(row.wrong_in({0, 2, 1, 3}), "");
  EXPECT_NE(row.wrong_in({1, 0, 2, 3}), "");
  EXPECT_NE(row.wrong_in({0, 1, 3, 2}), "");
  EXPECT_NE(row.wrong_in({0, 1, 1, 3}).find("a second time"), std::string::npos);
}

TEST(FormulaChoices, ExactTiesMayHaveAnyOrderAndOthersNone) {
  const Sorted row({3, 1, 1}, {0, 0, 0});
  EXPECT_EQ(row.wrong_in({1, 2, 0}), "");
  EXPECT_EQ(row.wrong_in({2, 1, 0}), "");
  EXPECT_NE(row.wrong_in({0, 1, 2}), "");
}

TEST(FormulaChoices, PositionsAreWholeNumbersOfTheRow) {
  const Sorted row({1, 1, 1}, {1, 1, 1});
  for (const double wrong : {-1.0, 3.0, 0.5, std::nan(""), infinity})
    EXPECT_NE(row.wrong_in({0, 1, wrong}).find("expected a whole number from 0 to 2"), std::string::npos) << wrong;
}

TEST(FormulaChoices, ARowWithoutBoundsIsNotJudged) {
  EXPECT_EQ(Sorted({1, 2, 3}, {0, infinity, 0}).wrong_in({2, 1, 0}), "");
}

TEST(FormulaChoices, OrdersWithinTheErrorsAreRightAndSortsWithinTheirBounds) {
  Random random(5);
  for (int n = 0; n < 500; ++n) {
    const auto size = static_cast<std::size_t>(random.integer(1, 9));
    std::vector<double> x, error, moved;
    for (std::size_t k = 0; k < size; ++k) {
      x.push_back(static_cast<double>(random.integer(-8, 8)) / 4);
      error.push_back(random.chance(0.3) ? 0 : random.real() / 2);
      moved.push_back(x[k] + error[k] * (2 * random.real() - 1));
    }
    std::vector<double> order(size);
    std::iota(order.begin(), order.end(), 0);
    std::ranges::sort(order, {}, [&](double k) { return moved[static_cast<std::size_t>(k)]; });
    EXPECT_EQ(Sorted(x, error).wrong_in(order), "");
    std::vector<Interval> row;
    for (std::size_t k = 0; k < size; ++k) row.push_back(interval_of(x[k], error[k]));
    const auto candidates = candidates_in(row);
    std::ranges::sort(x);
    std::ranges::sort(moved);
    for (std::size_t i = 0; i < size; ++i) {
      double most = 0;
      for (auto k = candidates[i].first; k <= candidates[i].last; ++k)
        most = std::max(most, error[static_cast<std::size_t>(k)]);
      EXPECT_LE(std::abs(moved[i] - x[i]), most + 1e-15);
    }
  }
}

}  // namespace
}  // namespace assay::validation::formula
