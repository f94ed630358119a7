// Which additions of a formula's graph kernels may take in another order: (a + b) + c as a + (b + c), a product of
// matrices and a bias. A number that a whole row shares and that comes from the row, a maximum or a mean, is subtracted
// in one step, and so is what is computed from the sum so far.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "reference/formula/graph.h"

namespace assay::validation::formula {

/// Whether the operation adds its operands' elements and nothing else.
bool is_any_sum(reference::formula::Op op);

class Joins {
 public:
  explicit Joins(const reference::formula::Graph& graph) : graph_(graph) {}

  /// Whether node `n`, the next one, is an addition or subtraction, or adds the adjoints of parts of an array, and the
  /// operands' terms may be mixed.
  bool begin(std::size_t n);

 private:
  const reference::formula::Node& node(std::int32_t number) const {
    return graph_.nodes[static_cast<std::size_t>(number)];
  }
  std::uint64_t inputs_of(std::size_t n) const;
  /// What the elements of a node are copies of, and how.
  struct Copied {
    std::int32_t from = -1;
    bool is_broadcast = false, is_share = false;
  };

  std::int32_t copied_by(const reference::formula::Node& copy) const;
  Copied copied_from(std::int32_t number) const;
  bool may_join(const std::vector<std::int32_t>& operands) const;
  bool may_join(std::int32_t a, std::int32_t b) const;
  bool depends_on(std::int32_t number, std::int32_t before) const;

  const reference::formula::Graph& graph_;
  std::vector<std::uint64_t> inputs_;  ///< by node: a bit for each input that it is computed from
};

}  // namespace assay::validation::formula
