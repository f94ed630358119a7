// The derivatives of each operation of a formula's graph at the exact values, and what they leave of an error.
//
//   computed_y - y  =  sum over the arguments x of y of  dy/dx (computed_x - x)  +  rest
#pragma once

#include <cmath>
#include <vector>

#include "validation/formula/bounds.h"

namespace assay::validation::formula {

/// dy/dx for one element x of an argument.
struct Slope {
  std::int32_t node = 0;
  std::size_t element = 0;
  double value = 0;
};

class Slopes {
 public:
  Slopes(const Graph& graph, const Doubles& values, const Doubles& errors)
      : graph_(graph), values_(values), errors_(errors), sources_(graph.nodes.size()) {}

  /// Those of element `i` of node `n` that are not 0. An argument whose error may be infinite has none.
  const std::vector<Slope>& of(std::size_t n, std::size_t i);

  /// A bound on the rest, where `error` bounds |computed_y - y| for all arguments within their errors.
  double rest(std::size_t n, std::size_t i, double error);

 private:
  double value(const Node& node, std::size_t argument, std::size_t i) const {
    return values_[static_cast<std::size_t>(node.arguments[argument])][i];
  }
  double error(const Node& node, std::size_t argument, std::size_t i) const {
    return errors_[static_cast<std::size_t>(node.arguments[argument])][i];
  }
  void add(std::int32_t node, std::size_t element, double slope);
  void binary(const Node& node, std::size_t i, double y);
  void reduction(const Node& node, std::size_t i);
  void inner_product(const Node& node, std::size_t i);
  void joined(const Node& node, std::int64_t at);
  void ordered(const Node& node, std::size_t n, std::size_t i);
  void indexed(const Node& node, std::size_t n, std::size_t i);
  void scattered(const Node& node, std::size_t n, std::size_t i);
  bool has_kink(const Node& node, std::size_t i) const;
  double curvature(const Node& node, std::size_t i, double y) const;

  const Graph& graph_;
  const Doubles& values_;
  const Doubles& errors_;
  std::vector<Slope> slopes_;
  bool is_whole_ = true;                                        ///< whether every argument that may be off has a slope
  std::vector<std::vector<std::vector<std::size_t>>> sources_;  ///< of a scatter: [node][element]
};

}  // namespace assay::validation::formula
