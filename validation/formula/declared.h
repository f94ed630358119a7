// What a kernel declares to round in addition to the formula's operations, and what it would have to declare.
#pragma once

#include <string>
#include <vector>

#include "validation/formula/problem.h"

namespace assay::validation::formula {

/// Throws std::invalid_argument for names in Arithmetic::rounds that none of these formulas has.
void require_names(const std::vector<std::shared_ptr<const Traced>>& formulas, const Arithmetic& arithmetic);

/// The errors that Arithmetic::rounds adds to each value of a formula.
class DeclaredRoundings {
 public:
  DeclaredRoundings(const Graph& graph, const Doubles& values, const Arithmetic& arithmetic);

  double of(std::size_t n, std::size_t i) const;

 private:
  struct Counts {
    double own = 0, operands = 0;
  };

  const Graph& graph_;
  const Doubles& values_;
  NumberFormat format_;
  std::vector<Counts> counts_;  ///< of each node; empty where nothing is declared
};

/// "... declare rounds={'d.operands': 2}": the fewest further roundings of one named value that would make room for
/// `excess` in the bound of element `i` of a node. Empty where even many would not.
std::string declaration_hint(const Traced& traced, std::int32_t node, std::size_t i, const Doubles& values,
                             const Arithmetic& arithmetic, double excess);

}  // namespace assay::validation::formula
