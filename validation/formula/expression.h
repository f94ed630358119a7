// A node of a formula's graph as its author would write it: "e / sum(e)".
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include "validation/formula/bounds.h"

namespace assay::validation::formula {

/// The operation of a node on its arguments. Arguments that the formula names stand by their names, copies such as
/// broadcasts by what they copy, and what is nested more than three deep as "...", of a long text two or one.
std::string expression_of(const Graph& graph, std::int32_t node);

/// The line of the formula where a node is computed; of a constant, where it is first used. 0 if it is not known.
std::int32_t line_of(const Graph& graph, std::int32_t node);

/// Calls visit(argument's node, element) for each element that element `i` of node `n` is computed from. `values` are
/// those of all nodes, which say what a `where` takes.
void for_each_operand(const Graph& graph, const Doubles& values, std::size_t n, std::size_t i,
                      const std::function<void(std::size_t node, std::size_t element)>& visit);

/// "1.5 - 1.25 = 0.25", "sum of 32 terms = 0.5": an element as it was computed. `result` is its value in words.
std::string event_of(const Graph& graph, const Doubles& values, std::size_t n, std::size_t i,
                     const std::string& result);

}  // namespace assay::validation::formula
