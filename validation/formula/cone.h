// What some elements of a graph's nodes are computed from, as a graph of its own. Of a large product of matrices, a few
// elements need a few rows and columns: their exact values and bounds cost little.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "validation/formula/bounds.h"

namespace assay::validation::formula {

/// Elements of each node, ascending; none of most nodes.
using Elements = std::vector<std::vector<std::int64_t>>;

/// All elements that the `wanted` ones, a list for each node, are computed from, and they themselves. Rows that are
/// computed as a whole, as by a sort, are kept as a whole. None where their graph would have more than `most` elements, products
/// of matrices counted term by term.
std::optional<Elements> needed(const Graph& graph, Elements wanted, double most);

/// The work of computing them: their number, and that of the terms of products of matrices.
double work_of(const Graph& graph, const Elements& elements);

/// The elements of each input that are needed, by name.
using InputElements = std::map<std::string, std::vector<std::int64_t>>;
InputElements inputs_of(const Graph& graph, const Elements& elements);

/// A graph of the needed elements alone.
struct Cone {
  Graph graph;
  std::vector<std::int32_t> nodes;  ///< of the new graph, by those of the old one; -1 where nothing is needed
  Elements elements;                ///< that these nodes have, by the nodes of the old graph
  std::int32_t formula_nodes = 0;   ///< new nodes for the first nodes of the old graph
};

/// `inputs` are the elements that the new inputs have; others may need more than this graph. `formula_nodes` are those of
/// the old graph before its gradient.
Cone cone_of(const Graph& graph, const Elements& elements, const InputElements& inputs, std::int32_t formula_nodes);

/// Sorts elements, and leaves one of equal ones.
void sort_once(std::vector<std::int64_t>& some);

/// A node that has the elements `wanted`, one after the other, where `node` has those in `kept`: ascending, and all of them.
std::int32_t node_with(Graph& graph, std::int32_t node, const std::vector<std::int64_t>& kept,
                       const std::vector<std::int64_t>& wanted);

}  // namespace assay::validation::formula
