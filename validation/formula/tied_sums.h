// What the gradients of equal elements add up to. Where several elements of an input are the largest of their row, each may get
// any share of the row's gradient, but the shares add up to 1: the sum of the gradients has a bound without the choice.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "validation/formula/bounds.h"
#include "validation/formula/problem.h"

namespace assay::validation::formula {

struct TiedSum {
  std::size_t input = 0;  ///< its number among the nodes
  std::string name;       ///< of the input
  std::vector<std::size_t> elements;
  double bound = 0;  ///< of the sum of their stored gradients; infinite where it has none
};

/// Those of a graph with gradients, the nodes of which `gradients` has by the inputs' names; the formula's own nodes are the first
/// `formula_nodes`. A group counts where its input is used for its maximum alone, and no element is a largest one of another row
/// too, whose shares would be free as well.
std::vector<TiedSum> tied_sums(const Graph& graph, std::int32_t formula_nodes,
                               const std::vector<std::pair<std::string, std::int32_t>>& gradients,
                               const Doubles& values, const Arithmetic& arithmetic);

}  // namespace assay::validation::formula
