// What a kernel declares to round in addition to the formula's operations.
#pragma once

#include <string>
#include <vector>

#include "validation/formula/problem.h"

namespace assay::validation::formula {

inline const std::string of_operands = ".operands";

/// Throws std::invalid_argument for names in Arithmetic::rounds and Arithmetic::kept that none of these formulas has.
void require_names(const std::vector<std::shared_ptr<const Traced>>& formulas, const Arithmetic& arithmetic);

/// What a kernel of the same storage has that declares nothing of how it computes.
Arithmetic without_declared(Arithmetic arithmetic);

/// The share of a result's size up to which a kernel may be off by what it declares alone (core/judged.h).
double widest_share(const Arithmetic& arithmetic, Dtype storage);

/// The sum of the sizes of the terms of element `i` of a sum or difference; 0 for other operations. The roundings of the
/// terms reach it as they are.
double size_of_operands(const Graph& graph, const Doubles& values, std::size_t n, std::size_t i);

/// The errors that Arithmetic::rounds and Arithmetic::kept add to each value of a formula.
class DeclaredRoundings {
 public:
  DeclaredRoundings(const Graph& graph, const Doubles& values, const Arithmetic& arithmetic);

  /// `error`: that of the element without them.
  double of(std::size_t n, std::size_t i, double error) const;

 private:
  struct Counts {
    double own = 0, operands = 0;
    std::optional<Kept> kept = {};
  };

  const Graph& graph_;
  const Doubles& values_;
  NumberFormat format_;
  bool flushes_;
  std::vector<Counts> counts_;  ///< of each node; empty where nothing is declared
};

}  // namespace assay::validation::formula
