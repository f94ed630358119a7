// The bounds on a kernel's errors: what they must hold, and where they must be narrow.
#include "validation/formula/bounds.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "reference/formula/differentiate.h"
#include "validation/core/random.h"

namespace assay::validation::formula {
namespace {

using reference::formula::evaluate;
using reference::formula::Graph;

std::int32_t constant(Graph& graph, std::vector<double> values) {
  const std::int64_t size = std::ssize(values);
  return graph.add({Op::constant, size, {}, 0, 0, 0, {}, std::move(values)});
}

Doubles values_of(const Graph& graph) {
  return evaluate<double>(graph, [](const std::string&) { return std::vector<double>(); });
}

Doubles bounds_of(const Graph& graph, const Arithmetic& arithmetic = {}) {
  return errors_of(graph, values_of(graph), arithmetic, graph.outputs);
}

/// -inf that a kernel may compute as any number: log(exp(1) - exp(1)).
std::int32_t doubtful_infinity(Graph& graph) {
  const auto e = graph.add({Op::exp, 1, {constant(graph, {1})}});
  return graph.add({Op::log, 1, {graph.add({Op::subtract, 1, {e, e}})}});
}

TEST(FormulaBounds, AnInfinityInDoubtLeavesNoBoundOnWhatFollows) {
  Graph graph;
  const auto doubtful = doubtful_infinity(graph);
  const auto gathered = graph.add({Op::gather, 2, {doubtful}, 0, 0, 0, {0, 0}});
  const auto product = graph.add({Op::matmul, 1, {constant(graph, {0, 1}), gathered}, 2, 1, 1});  // 0 times it is NaN
  const auto sum = graph.add({Op::sum, 1, {gathered}, 2});
  const auto choice = graph.add({Op::where, 1, {constant(graph, {1}), doubtful, constant(graph, {0})}});
  const auto bounds = bounds_of(graph);
  for (const auto node : {doubtful, gathered, product, sum, choice})
    EXPECT_EQ(bounds[static_cast<std::size_t>(node)][0], std::numeric_limits<double>::infinity()) << node;
}

TEST(FormulaBounds, EachCumulativeSumHasTheBoundOfTheSumOfItsTerms) {
  constexpr std::int64_t columns = 40;
  for (const bool integers : {true, false}) {
    Graph graph;
    std::vector<double> x;
    for (int i = 0; i < 2 * columns; ++i) x.push_back(integers ? i % 7 - 3 : 1 / (i + 1.5));
    const auto terms = graph.add({integers ? Op::negative : Op::exp, 2 * columns, {constant(graph, x)}});
    const auto sums = graph.add({Op::cumulative_sum, 2 * columns, {terms}, columns});
    for (std::int64_t i = 0; i < 2 * columns; ++i) {
      const std::int64_t count = i % columns + 1;
      std::vector<std::int64_t> before(static_cast<std::size_t>(count));
      std::iota(before.begin(), before.end(), i - i % columns);
      const auto gathered = graph.add({Op::gather, count, {terms}, 0, 0, 0, std::move(before)});
      graph.add({Op::sum, 1, {gathered}, count});
    }
    const auto bounds = bounds_of(graph);
    for (std::size_t i = 0; i < 2 * columns; ++i) {
      EXPECT_EQ(bounds[static_cast<std::size_t>(sums)][i], bounds[static_cast<std::size_t>(sums) + 2 + 2 * i][0]) << i;
      EXPECT_EQ(bounds[static_cast<std::size_t>(sums)][i] == 0, integers);
    }
  }
}

TEST(FormulaBounds, ANumberThatIsNoneIsInDoubtNowhereAfterItInACumulativeSum) {
  Graph graph;
  graph.add({Op::cumulative_sum, 4, {constant(graph, {1, NAN, 1, INFINITY})}, 4});
  EXPECT_EQ(bounds_of(graph).back(), (std::vector<double>{0, 0, 0, 0}));
}

/// floor(log(exp(2))), which a kernel may compute as 1.
std::int32_t doubtful_index(Graph& graph) {
  const auto two = graph.add({Op::log, 1, {graph.add({Op::exp, 1, {constant(graph, {2})}})}});
  return graph.add({Op::floor, 1, {two}});
}

TEST(FormulaBounds, AnElementOfADoubtfulIndexMayBeAnotherOne) {
  Graph graph;
  const auto x = constant(graph, {8, 4, 7, 32});
  const auto sure = graph.add({Op::take, 1, {x, constant(graph, {2})}, 4, 0, 0, {0}});
  const auto doubtful = graph.add({Op::take, 1, {x, doubtful_index(graph)}, 4, 0, 0, {0}});
  const auto added = graph.add({Op::add_at, 4, {constant(graph, {5}), doubtful_index(graph)}, 4, 0, 0, {0}});
  const auto bounds = bounds_of(graph);
  EXPECT_EQ(bounds[static_cast<std::size_t>(sure)][0], 0);
  const double of_doubtful = bounds[static_cast<std::size_t>(doubtful)][0];
  EXPECT_TRUE(of_doubtful == 25 || of_doubtful == 3) << "4 or 32, by the side on which double has log(exp(2))";
  const auto& of_added = bounds[static_cast<std::size_t>(added)];
  EXPECT_EQ(of_added[0], 0);
  EXPECT_GE(of_added[2], 5);
}

TEST(FormulaBounds, AValueThatIsAddedByIndexHasTheBoundOfASum) {
  Graph graph;
  const auto terms = graph.add({Op::exp, 3, {constant(graph, {1, 2, 3})}});
  const auto added = graph.add({Op::add_at, 2, {terms, constant(graph, {1, 1, 1})}, 2, 0, 0, {0, 0, 0}});
  const auto scattered = graph.add({Op::scatter, 2, {terms}, 0, 0, 0, {1, 1, 1}});
  const auto bounds = bounds_of(graph);
  EXPECT_EQ(bounds[static_cast<std::size_t>(added)], bounds[static_cast<std::size_t>(scattered)]);
  EXPECT_GT(bounds[static_cast<std::size_t>(added)][1], 0);
}

TEST(FormulaBounds, AnElementByItsRankIsOffByWhatMayHaveTheRankAndByNothingBesideNaN) {
  Graph graph;
  const auto x = constant(graph, {1, 0.1, 3, 1, 2, NAN});
  const auto rounded = graph.add({Op::exp, 6, {x}});
  const auto exact = graph.add({Op::sort, 6, {x}, 3}), sorted = graph.add({Op::sort, 6, {rounded}, 3});
  const auto order = graph.add({Op::argsort, 6, {rounded}, 3});
  const auto bounds = bounds_of(graph);
  const auto of = [&](std::int32_t node, std::size_t i) { return bounds[static_cast<std::size_t>(node)][i]; };
  EXPECT_EQ(of(exact, 0), of(x, 1));
  EXPECT_EQ(of(sorted, 2), of(rounded, 2));
  EXPECT_EQ(of(order, 0), 0);
  for (const auto node : {exact, sorted, order})
    EXPECT_EQ(of(node, 3), std::numeric_limits<double>::infinity()) << "libraries put NaN at either end";
}

TEST(FormulaBounds, IndicesAndFlagsAreNotRounded) {
  Graph graph;
  Node at{Op::input, 1};
  at.is_whole = true;
  graph.add(std::move(at));
  const Doubles values = evaluate<double>(graph, [](const std::string&) { return std::vector<double>{4001}; });
  EXPECT_EQ(errors_of(graph, values, {.input_roundoff = 0x1p-9}, graph.outputs)[0][0], 0);
}

TEST(FormulaBounds, AnExactInfinityCostsNothing) {
  Graph graph;
  const auto low = constant(graph, {-std::numeric_limits<double>::infinity()});
  const auto inexact = graph.add({Op::exp, 1, {constant(graph, {1})}});
  const auto masked = graph.add({Op::where, 1, {constant(graph, {0}), inexact, low}});
  graph.add({Op::exp, 1, {graph.add({Op::subtract, 1, {masked, inexact}})}});
  EXPECT_EQ(bounds_of(graph).back()[0], 0);
}

TEST(FormulaBounds, AnExponentialIsZeroOnlyWhereItsArgumentSurelyFallsBelowTheRange) {
  Graph graph;
  const auto low = constant(graph, {-3e38F}), high = constant(graph, {3e38F});
  const auto beyond = graph.add({Op::subtract, 1, {low, high}});  // -inf in float32
  const auto sure = graph.add({Op::exp, 1, {graph.add({Op::add, 1, {beyond, low}})}});
  const auto in_doubt =
      graph.add({Op::exp, 1, {graph.add({Op::subtract, 1, {beyond, graph.add({Op::add, 1, {low, low}})}})}});
  const auto far = graph.add({Op::multiply, 1, {beyond, constant(graph, {4})}});
  const auto nan = graph.add({Op::exp, 1, {graph.add({Op::subtract, 1, {far, beyond}})}});  // -inf + inf
  const auto bounds = bounds_of(graph);
  EXPECT_EQ(bounds[static_cast<std::size_t>(sure)][0], 2 * 0x1p-149);
  for (const auto node : {in_doubt, nan})
    EXPECT_EQ(bounds[static_cast<std::size_t>(node)][0], std::numeric_limits<double>::infinity());
}

/// The bound on the last node.
double last_bound(const Graph& graph) {
  return bounds_of(graph).back()[0];
}

TEST(FormulaBounds, ASumIsExactOnlyWhereEveryOrderIs) {
  const auto bound = [](double a, double b, double c) {
    Graph graph;
    const auto sum = graph.add({Op::add, 1, {constant(graph, {a}), constant(graph, {b})}});
    graph.add({Op::add, 1, {sum, constant(graph, {c})}});
    return last_bound(graph);
  };
  EXPECT_EQ(bound(8, -5, 3), 0);
  EXPECT_EQ(bound(0x1p23, -0x1p22, 1), 0);
  const float a = 1e8F, b = -1e8F, c = 1;  // (a + b) + c is exact, and a + (b + c) is 0
  EXPECT_GE(bound(a, b, c), std::abs((a + b) + c - (a + (b + c))));
  EXPECT_GE(bound(c, a, b), std::abs((a + b) + c - (a + (b + c))));
}

TEST(FormulaBounds, WhatAMaximumPassesOnMayBeAddedInAnyOrderToo) {
  const float a = 1e8F, b = -1e8F, c = 1;
  for (const bool is_share : {true, false}) {
    Graph graph;
    const auto sum = graph.add({Op::add, 1, {constant(graph, {a}), constant(graph, {b})}});
    Node passed{Op::where, 1, {constant(graph, {1}), sum, constant(graph, {0})}};
    passed.is_share = is_share;
    const auto copy = graph.add(std::move(passed));
    graph.add({Op::add, 1, {copy, constant(graph, {c})}});
    EXPECT_EQ(last_bound(graph) >= std::abs((a + b) + c - (a + (b + c))), is_share)
        << "a choice of the formula is a step";
  }
}

TEST(FormulaBounds, ARootOfZeroHasNoSlopeThatAKernelMustGive) {
  Graph graph;
  const auto x = graph.add({Op::input, 2, {}, 0, 0, 0, {}, {}, "x"});
  graph.outputs = {graph.add({Op::sqrt, 2, {x}})};
  const std::int32_t wrt[] = {x};
  const auto gradient = static_cast<std::size_t>(reference::formula::differentiate(graph, wrt)[0]);
  const Doubles values = evaluate<double>(
      graph, [](const std::string& name) { return std::vector<double>{name == "x" ? 0.0 : 1.0, 4.0}; });
  const Doubles bounds = errors_of(graph, values, {}, graph.outputs);
  EXPECT_EQ(bounds[gradient][0], std::numeric_limits<double>::infinity());
  EXPECT_LT(bounds[gradient][1], 1e-5);
}

TEST(FormulaBounds, ABiasMayComeBeforeTheProducts) {
  const double large = 0x1p24, bias = 0.5;
  Graph graph;
  const auto x = constant(graph, {large, -large}), w = constant(graph, {1, 1});
  const auto product = graph.add({Op::matmul, 1, {x, w}, 2, 1, 1});
  graph.add({Op::add, 1, {product, constant(graph, {bias})}});
  EXPECT_EQ(bounds_of(graph)[static_cast<std::size_t>(product)][0], 0);
  EXPECT_GE(last_bound(graph), bias) << "0.5 + 2^24 is 2^24 in float32";
}

TEST(FormulaBounds, AnExactStepOfARecurrenceIsNotExactByChunks) {  // h = a h + x
  const float x[] = {8, -7, 0}, a[] = {0, 1, 0.8295F};
  Graph graph;
  auto h = constant(graph, {x[0]});
  for (int t = 1; t < 3; ++t)
    h = graph.add({Op::add, 1, {graph.add({Op::multiply, 1, {constant(graph, {a[t]}), h}}), constant(graph, {x[t]})}});
  const float by_chunks = a[1] * a[2] * x[0] + (a[2] * x[1] + x[2]);
  const double exact = double{a[2]} * (x[0] + x[1]);
  EXPECT_NE(by_chunks, exact) << "or the test shows nothing";
  EXPECT_LE(std::abs(by_chunks - exact), last_bound(graph));
  EXPECT_LT(last_bound(graph), 40 * 8 * 0x1p-24);
}

TEST(FormulaBounds, AMaximumIsSubtractedInOneStep) {  // (x - m) - l, not x - (m + l): m is much larger than the result
  Graph graph;
  const auto x = constant(graph, {10001, 10000});
  const auto m = graph.add({Op::largest, 1, {x}, 2});
  const auto d = graph.add({Op::subtract, 2, {x, graph.add({Op::gather, 2, {m}, 0, 0, 0, {0, 0}})}});
  const auto sum = graph.add({Op::sum, 1, {graph.add({Op::exp, 2, {d}})}, 2});
  const auto log = graph.add({Op::log, 1, {sum}});
  graph.add({Op::subtract, 2, {d, graph.add({Op::gather, 2, {log}, 0, 0, 0, {0, 0}})}});
  EXPECT_LT(last_bound(graph), 20 * 0x1p-24);
}

TEST(FormulaBounds, AShareLessOneMayBeTheSumOfTheOthers) {  // p - 1, where p is small: the others' errors count in full
  Graph graph;
  const auto x = constant(graph, {-6, 0, 1, 2, -1});
  const auto e = graph.add({Op::exp, 5, {x}});
  const auto s = graph.add({Op::gather, 5, {graph.add({Op::sum, 1, {e}, 5})}, 0, 0, 0, {0, 0, 0, 0, 0}});
  const auto share = graph.add({Op::divide, 5, {e, s}});
  const auto less = [&](double whole) {
    graph.add({Op::subtract, 5, {share, constant(graph, std::vector<double>(5, whole))}});
    return last_bound(graph);
  };
  EXPECT_GT(less(1), less(0.5) + 8 * 0x1p-24);
}

// x' = M x with a rotation M: the norm of |M| is 1.4, that of M is 1.
struct Rotation {
  double c = 0.6, s = 0.8;
  int steps = 0;

  Graph graph() const {
    Graph g;
    auto x = constant(g, {1}), y = constant(g, {0.25});
    const auto cosine = constant(g, {c}), sine = constant(g, {s});
    const auto times = [&](auto a, auto b) { return g.add({Op::multiply, 1, {a, b}}); };
    for (int t = 0; t < steps; ++t) {
      const auto next = g.add({Op::subtract, 1, {times(cosine, x), times(sine, y)}});
      y = g.add({Op::add, 1, {times(sine, x), times(cosine, y)}});
      x = next;
    }
    g.outputs = {x, y};
    return g;
  }

  /// Computed in float.
  std::vector<double> computed() const {
    float x = 1, y = 0.25F;
    for (int t = 0; t < steps; ++t) {
      const float next = float(c) * x - float(s) * y;
      y = float(s) * x + float(c) * y;
      x = next;
    }
    return {x, y};
  }
};

TEST(FormulaBounds, ErrorsThatARecurrenceDoesNotAmplifyStaySmall) {
  const Rotation rotation{0.6, 0.8, 500};
  const Graph graph = rotation.graph();
  const auto values = values_of(graph), bounds = bounds_of(graph);
  for (std::size_t k = 0; k < 2; ++k) {
    const auto node = static_cast<std::size_t>(graph.outputs[k]);
    const double error = std::abs(rotation.computed()[k] - values[node][0]);
    EXPECT_LE(error, bounds[node][0]);
    EXPECT_LT(bounds[node][0], 500 * 40 * 0x1p-24);  // running ones are 1e60
  }
}

TEST(FormulaBounds, ErrorsThatARecurrenceAmplifiesAreBounded) {  // x' = 3 x - x^3: a chaotic map in [-2, 2]
  for (const int steps : {20, 23, 26}) {
    Graph g;
    auto x = constant(g, {0.7F});
    float computed = 0.7F;
    for (int t = 0; t < steps; ++t) {
      const auto square = g.add({Op::multiply, 1, {x, x}});
      x = g.add({Op::multiply, 1, {x, g.add({Op::subtract, 1, {constant(g, {3}), square}})}});
      computed = computed * (3 - computed * computed);
    }
    g.outputs = {x};
    const double error = std::abs(double{computed} - values_of(g).back()[0]);
    EXPECT_LE(error, bounds_of(g).back()[0]) << steps;
    EXPECT_GT(error, 1e-5) << "or the test shows nothing";
  }
}

}  // namespace
}  // namespace assay::validation::formula
