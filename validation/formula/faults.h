// Faults of one operation of a formula's graph: what kernels get wrong there.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "reference/formula/graph.h"

namespace assay::validation::formula {

using reference::formula::Graph;
using reference::formula::Node;
using reference::formula::Op;

/// Adds the faulty form of a node, whose arguments are nodes of `graph`, and returns its number.
using Fault = std::function<std::int32_t(Graph& graph, const Node& node)>;

/// The faults of one operation, each with what it does. `grows_large`: sums may have more than 1023 terms.
std::vector<std::pair<std::string, Fault>> faults_of(Op op, bool grows_large);

/// Whether a node repeats the largest element of each row along the row: the m of exp(x - m).
bool repeats_a_maximum(const Graph& graph, const Node& node);

/// A fault of such nodes, which leaves others as they are: the largest element of each row so far. An online kernel has
/// it that does not rescale when the maximum grows.
std::int32_t maximum_so_far(Graph& graph, const Node& node);

}  // namespace assay::validation::formula
