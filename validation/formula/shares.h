// Shares e_i / sum e of a sum of exponentials, times a factor. A kernel that needs such a share less the whole, p - 1
// in the gradient of a cross-entropy, may add the others' shares instead, which does not cancel.
#pragma once

#include <cstdint>
#include <vector>

#include "validation/formula/element_errors.h"

namespace assay::validation::formula {

struct Share {
  double whole = 0;   ///< what all shares add up to; 0 where an element is no share
  double others = 0;  ///< the error of the sum of the others
};

/// The shares among the elements of a graph, node by node in its order. `errors` are the bounds on the nodes so far.
class Shares {
 public:
  Shares(const Graph& graph, const Doubles& values, const Doubles& errors)
      : graph_(graph), values_(values), errors_(errors) {}

  /// Finds the shares of node `n`, the next one.
  void begin(std::size_t n);

  Share at(std::int32_t node, std::size_t i) const;

  /// The larger error of `a + b` where `share` is that of `a`, whose error is `error`: the others' where b is minus the
  /// whole.
  static double larger_error(const Share& share, double b, double error);

 private:
  std::int32_t source(std::int32_t node) const;
  std::int32_t divided_by(const Node& node, std::int32_t exponential) const;
  Share own(const Node& node, std::size_t i, std::size_t exponential) const;
  Share scaled(const Node& node, std::size_t i) const;

  const Graph& graph_;
  const Doubles& values_;
  const Doubles& errors_;
  std::vector<std::vector<Share>> shares_;  ///< by node; empty where it has none
};

/// The node and the element that element `i` of a node is, beyond copies.
struct Original {
  std::int32_t node = 0;
  std::size_t element = 0;
};
Original original_of(const Graph& graph, std::int32_t node, std::size_t i);

}  // namespace assay::validation::formula
