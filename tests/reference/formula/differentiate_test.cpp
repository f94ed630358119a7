// Gradients of graphs at 100 digits against central differences.
#include "reference/formula/differentiate.h"

#include <gtest/gtest.h>

#include <cmath>

#include "reference/formula/evaluate.h"

namespace assay::reference::formula {
namespace {

const std::vector<double> point = {0.5, 1.25, 2.0, 0.75};

/// op(x, reversed x) or op(x), summed with weights by the upstream.
Graph graph_of(Op op) {
  Graph graph;
  const auto x = graph.add({Op::input, 4, {}, 0, 0, 0, {}, {}, "x"});
  const auto reversed = graph.add({Op::gather, 4, {x}, 0, 0, 0, {3, 2, 1, 0}});
  if (is_indexed(op)) {
    const auto at = graph.add({Op::constant, 4, {}, 0, 0, 0, {}, {1, 1, 0, 1}});
    graph.outputs = {graph.add({op, 4, {x, at}, 2, 0, 0, {0, 0, 1, 0}})};
  } else if (op == Op::cumulative_sum || op == Op::sort) {
    graph.outputs = {graph.add({op, 4, {x}, 2})};
  } else if (op == Op::matmul) {
    graph.outputs = {graph.add({op, 4, {x, reversed}, 2, 2, 2})};
  } else if (is_reduction(op)) {
    graph.outputs = {graph.add({op, 2, {x}, 2})};
  } else if (op == Op::where) {
    const auto condition = graph.add({Op::less, 4, {x, reversed}});
    graph.outputs = {graph.add({op, 4, {condition, x, graph.add({Op::exp, 4, {x}})}})};
  } else {
    graph.outputs = {is_unary(op) ? graph.add({op, 4, {x}}) : graph.add({op, 4, {x, reversed}})};
  }
  return graph;
}

BigFloat value_at(const Graph& graph, std::size_t moved, const BigFloat& step) {
  Values<BigFloat> values = evaluate<BigFloat>(graph, [&](const std::string&) {
    std::vector<double> x = point;
    x[moved] += static_cast<double>(step);
    return x;
  });
  BigFloat sum(0);
  const auto& y = values[static_cast<std::size_t>(graph.outputs[0])];
  for (std::size_t i = 0; i < y.size(); ++i) sum += y[i] * BigFloat(static_cast<double>(i) + 1);
  return sum;
}

TEST(FormulaDifferentiate, AgreesWithDifferences) {
  const PrecisionScope scope(100);
  for (const Op op :
       {Op::add, Op::subtract, Op::multiply, Op::divide,   Op::maximum, Op::minimum,        Op::logaddexp, Op::negative,
        Op::abs, Op::exp,      Op::expm1,    Op::log,      Op::log1p,   Op::sqrt,           Op::tanh,      Op::where,
        Op::sum, Op::product,  Op::largest,  Op::smallest, Op::matmul,  Op::cumulative_sum, Op::sin,       Op::cos,
        Op::erf, Op::power,    Op::take,     Op::add_at,   Op::sort,    Op::sigmoid}) {
    const Graph graph = graph_of(op);
    Graph with_gradient = graph;
    const std::int32_t wrt[] = {0};
    const auto gradient = differentiate(with_gradient, wrt)[0];
    const auto values = evaluate<BigFloat>(with_gradient, [&](const std::string& name) {
      return name == "x"                            ? point
             : graph.size_of(graph.outputs[0]) == 2 ? std::vector<double>{1, 2}
                                                    : std::vector<double>{1, 2, 3, 4};
    });
    const BigFloat step(0x1p-30);
    for (std::size_t i = 0; i < point.size(); ++i) {
      const BigFloat difference = (value_at(graph, i, step) - value_at(graph, i, -step)) / (step + step);
      EXPECT_LT(static_cast<double>(abs(difference - values[static_cast<std::size_t>(gradient)][i])), 1e-15)
          << op_names[static_cast<std::size_t>(op)] << " " << i;
    }
  }
}

TEST(FormulaDifferentiate, StepsAreFlat) {
  for (const Op op : {Op::floor, Op::round, Op::sign}) {
    Graph graph = graph_of(op);
    const std::int32_t wrt[] = {0};
    const auto gradient = static_cast<std::size_t>(differentiate(graph, wrt)[0]);
    const auto values = evaluate<double>(graph, [](const std::string&) { return point; });
    EXPECT_EQ(values[gradient], std::vector<double>(4, 0));
  }
}

TEST(FormulaDifferentiate, APowerOfZeroHasAGradient) {
  Graph graph;
  const auto x = graph.add({Op::input, 4, {}, 0, 0, 0, {}, {}, "x"});
  const auto p = graph.add({Op::input, 4, {}, 0, 0, 0, {}, {}, "p"});
  graph.outputs = {graph.add({Op::power, 4, {x, p}})};
  const std::int32_t wrt[] = {x, p};
  const auto gradients = differentiate(graph, wrt);
  const auto values = evaluate<double>(graph, [](const std::string& name) {
    return name == "x"   ? std::vector<double>{0, 0, 0, -2}
           : name == "p" ? std::vector<double>{0, 1, 2, 3}
                         : std::vector<double>(4, 1);
  });
  EXPECT_EQ(values[static_cast<std::size_t>(gradients[0])], (std::vector<double>{0, 1, 0, 12}));
  const auto& of_p = values[static_cast<std::size_t>(gradients[1])];
  EXPECT_EQ((std::vector<double>{of_p[1], of_p[2]}), (std::vector<double>{0, 0}));
  EXPECT_TRUE(std::isnan(of_p[3])) << "other powers of a negative number are no numbers";
}

TEST(FormulaDifferentiate, ATieSharesTheGradientEqually) {
  for (const Op op : {Op::maximum, Op::minimum}) {
    Graph graph;
    const auto a = graph.add({Op::input, 3, {}, 0, 0, 0, {}, {}, "a"});
    const auto b = graph.add({Op::input, 3, {}, 0, 0, 0, {}, {}, "b"});
    graph.outputs = {graph.add({op, 3, {a, b}})};
    const std::int32_t wrt[] = {a, b};
    const auto gradients = differentiate(graph, wrt);
    const auto values = evaluate<double>(graph, [](const std::string& name) {
      return name == "a"   ? std::vector<double>{1, 2, 0}
             : name == "b" ? std::vector<double>{2, 1, -0.0}
                           : std::vector<double>{8, 8, 8};
    });
    const bool is_maximum = op == Op::maximum;
    EXPECT_EQ(values[static_cast<std::size_t>(gradients[0])],
              (std::vector<double>{is_maximum ? 0.0 : 8, is_maximum ? 8.0 : 0, 4}));
    EXPECT_EQ(values[static_cast<std::size_t>(gradients[1])],
              (std::vector<double>{is_maximum ? 8.0 : 0, is_maximum ? 0.0 : 8, 4}));
  }
}

TEST(FormulaDifferentiate, AProductOverZerosHasItsGradient) {
  Graph graph;
  const auto x = graph.add({Op::input, 9, {}, 0, 0, 0, {}, {}, "x"});
  graph.outputs = {graph.add({Op::product, 3, {x}, 3})};
  const std::int32_t wrt[] = {x};
  const auto gradient = static_cast<std::size_t>(differentiate(graph, wrt)[0]);
  const auto values = evaluate<double>(graph, [](const std::string& name) {
    return name == "x" ? std::vector<double>{2, 0, 5, 0, 3, 0, 2, 3, 7} : std::vector<double>{1, 1, 2};
  });
  EXPECT_EQ(values[gradient], (std::vector<double>{0, 10, 0, 0, 0, 0, 42, 28, 12}));
}

TEST(FormulaDifferentiate, AProductWithoutColumnsHasAGradientOfSumsOfNothing) {
  Graph graph;
  const auto a = graph.add({Op::input, 6, {}, 0, 0, 0, {}, {}, "a"});
  const auto b = graph.add({Op::input, 0, {}, 0, 0, 0, {}, {}, "b"});
  graph.outputs = {graph.add({Op::matmul, 0, {graph.add({Op::exp, 6, {a}}), b}, 3, 2, 0})};
  const std::int32_t wrt[] = {a};
  const auto gradient = static_cast<std::size_t>(differentiate(graph, wrt)[0]);
  EXPECT_EQ(graph.nodes[gradient].op, Op::multiply) << "or an overflow of exp would not reach it";
  const auto values =
      evaluate<double>(graph, [](const std::string& name) { return std::vector<double>(name == "a" ? 6 : 0, 1.0); });
  EXPECT_EQ(values[gradient], std::vector<double>(6, 0));
}

/// y = sum over t of x_t x_{t + 1}, with each element of x read on its own, as a loop reads it.
Graph loop_of(std::int64_t T) {
  Graph graph;
  const auto x = graph.add({Op::input, T, {}, 0, 0, 0, {}, {}, "x"});
  const auto read = [&](std::int64_t t) { return graph.add({Op::gather, 1, {x}, 0, 0, 0, {t}}); };
  std::int32_t sum = -1;
  for (std::int64_t t = 0; t + 1 < T; ++t) {
    const auto term = graph.add({Op::multiply, 1, {read(t), read(t + 1)}});
    sum = sum < 0 ? term : graph.add({Op::add, 1, {sum, term}});
  }
  graph.outputs = {sum};
  return graph;
}

TEST(FormulaDifferentiate, ALoopHasTheGradientOfAllItsReads) {
  Graph graph = loop_of(5);
  const std::int32_t wrt[] = {0};
  const auto gradient = static_cast<std::size_t>(differentiate(graph, wrt)[0]);
  const auto values = evaluate<double>(graph, [](const std::string& name) {
    return name == "x" ? std::vector<double>{1, 2, 4, 8, 16} : std::vector<double>{1};
  });
  EXPECT_EQ(values[gradient], (std::vector<double>{2, 5, 10, 20, 8}));
}

TEST(FormulaDifferentiate, TheGraphOfALoopsGradientGrowsWithTheLoop) {
  const auto elements = [](std::int64_t T) {
    Graph graph = loop_of(T);
    const std::int32_t wrt[] = {0};
    differentiate(graph, wrt);
    return graph.elements();
  };
  EXPECT_LE(elements(400), 2 * elements(200) + 20);
}

}  // namespace
}  // namespace assay::reference::formula
