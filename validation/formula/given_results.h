// The formula, in which results that codes are computed from are inputs: what the kernel returned.
#pragma once

#include <utility>
#include <vector>

#include "validation/formula/computed.h"
#include "validation/formula/judge.h"

namespace assay::validation::formula {

/// The values of all nodes, at `digits` digits and half as many more.
Doubles exact_values(const Graph& graph, const InputArrays& arrays, int digits);

class GivenResults {
 public:
  InputArrays arrays;  // of the case, and what the kernel returned

  GivenResults(const Subject& subject, const Case& c, const Traced& traced, const Doubles& got);

  /// The graph with these inputs but for that of result `k` itself.
  Graph without(std::size_t k) const;

 private:
  void give(std::size_t k, const std::vector<double>& got, const Doubles& exact);
  bool is_used(std::int32_t base) const;

  Graph graph_;
  std::vector<std::pair<std::int32_t, Node>> given_;
};

}  // namespace assay::validation::formula
