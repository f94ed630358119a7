// What a sample of a large case's results is made of: graphs that are cut down to what some elements need.
#include "validation/formula/sample.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "validation/formula/cone.h"

namespace assay::validation::formula {
namespace {

using ::testing::IsSupersetOf;

/// x [4, 6] and at [24] through each kind of operation that looks beyond its own element; the outputs are four nodes.
Graph graph_of_all_kinds() {
  Graph graph;
  const auto add = [&](Node node) { return graph.add(std::move(node)); };
  const auto indices = [](std::int64_t size, auto index_of) {
    std::vector<std::int64_t> index;
    for (std::int64_t i = 0; i < size; ++i) index.push_back(index_of(i));
    return index;
  };
  Node input{Op::input, 24};
  input.name = "x";
  const auto x = add(input);
  input.name = "at";
  const auto at = add(input);
  const auto sums = add({Op::sum, 4, {x}, 6});
  const auto spread = add({Op::gather, 24, {sums}, 0, 0, 0, indices(24, [](auto i) { return i / 6; })});
  const auto shares = add({Op::divide, 24, {x, spread}});
  const auto turned = add({Op::gather, 24, {shares}, 0, 0, 0, indices(24, [](auto i) { return i % 4 * 6 + i / 4; })});
  const auto product = add({Op::matmul, 16, {shares, turned}, 6, 4, 4});
  const auto joined = add({Op::gather, 40, {product, x}, 0, 0, 0, indices(40, [](auto i) { return (7 * i) % 40; })});
  const auto running = add({Op::cumulative_sum, 40, {joined}, 10});
  const auto sorted = add({Op::sort, 24, {shares}, 6});
  const auto scattered = add({Op::scatter, 8, {sorted}, 0, 0, 0, indices(24, [](auto i) { return (5 * i) % 8; })});
  const auto taken = add({Op::take, 24, {shares, at}, 6, 0, 0, indices(24, [](auto i) { return (i + 5) % 4; })});
  const auto added = add({Op::add_at, 24, {taken, at}, 6, 0, 0, indices(24, [](auto i) { return i % 4; })});
  const auto half = add({Op::constant, 24, {}, 0, 0, 0, {}, std::vector<double>(24, 0.5)});
  graph.outputs = {running, scattered, add({Op::multiply, 24, {added, half}}), product};
  return graph;
}

double input_of(const std::string& name, std::int64_t i) {
  return name == "x" ? std::sin(static_cast<double>(1 + i)) : static_cast<double>(i * 5 % 6);
}

Doubles values_at(const Graph& graph, const InputElements& inputs) {
  return reference::formula::evaluate<double>(graph, [&](const std::string& name) {
    std::vector<double> values;
    for (const std::int64_t i : inputs.at(name)) values.push_back(input_of(name, i));
    return values;
  });
}

TEST(FormulaSample, ACutGraphGivesEachNodeTheElementsThatItHasInTheWhole) {
  const Graph graph = graph_of_all_kinds();
  std::vector<std::int64_t> every(24);
  for (std::size_t i = 0; i < every.size(); ++i) every[i] = static_cast<std::int64_t>(i);
  const Doubles whole = values_at(graph, {{"x", every}, {"at", every}});
  for (const auto output : graph.outputs)
    for (std::int64_t element = 0; element < graph.size_of(output); ++element) {
      Elements wanted(graph.nodes.size());
      wanted[static_cast<std::size_t>(output)] = {element};
      const auto elements = needed(graph, wanted, 1e9);
      ASSERT_TRUE(elements);
      const InputElements inputs = inputs_of(graph, *elements);
      const Cone cone = cone_of(graph, *elements, inputs, 0);
      const Doubles part = values_at(cone.graph, inputs);
      for (std::size_t n = 0; n < graph.nodes.size(); ++n)
        for (std::size_t i = 0; i < (*elements)[n].size(); ++i)
          EXPECT_EQ(part[static_cast<std::size_t>(cone.nodes[n])][i],
                    whole[n][static_cast<std::size_t>((*elements)[n][i])])
              << "node " << n << " of output " << output << ", element " << element;
    }
}

TEST(FormulaSample, MoreWorkThanAllowedIsNone) {
  const Graph graph = graph_of_all_kinds();
  Elements wanted(graph.nodes.size());
  wanted[static_cast<std::size_t>(graph.outputs[3])] = {5};
  const auto elements = needed(graph, wanted, 1e9);
  ASSERT_TRUE(elements);
  const double work = work_of(graph, *elements);
  EXPECT_GE(work, 7 + 6 + 6) << "a product's element has six terms and six factors of each side";
  EXPECT_TRUE(needed(graph, wanted, work));
  EXPECT_FALSE(needed(graph, wanted, work - 1));
}

TEST(FormulaSample, HasCornersBordersOfTilesAndAnIndexInEachPart) {
  constexpr std::int64_t rows = 1031, columns = 1029;
  const auto elements = sampled_elements({rows, columns}, 64, Random(1));
  EXPECT_EQ(elements.size(), 64);
  EXPECT_THAT(elements, IsSupersetOf({std::int64_t{0}, columns - 1, (rows - 1) * columns, rows * columns - 1}));
  std::vector<std::int64_t> seen;
  for (const std::int64_t i : elements) seen.push_back(i / columns);
  for (std::int64_t border = 128; border < rows; border += 128) EXPECT_THAT(seen, IsSupersetOf({border - 1, border}));
  for (std::int64_t part = 0; part < 16; ++part)
    EXPECT_TRUE(std::ranges::any_of(seen, [&](auto row) { return row / 65 == part; })) << part;
  EXPECT_EQ(sampled_elements({3, 4}, 64, Random(1)).size(), 12) << "all of a small array";
}

}  // namespace
}  // namespace assay::validation::formula
