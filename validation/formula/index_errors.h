// How far rounding may carry elements that are taken by an index, and elements and positions by rank. Derivation:
// docs/bounds.md, "Functions of formulas".
#pragma once

#include <vector>

#include "validation/formula/element_errors.h"

namespace assay::validation::formula {

class IndexErrors {
 public:
  /// `errors` are the bounds on the nodes so far.
  IndexErrors(const Doubles& values, const Doubles& errors) : values_(values), errors_(errors) {}

  /// The node whose elements come next.
  void begin(const Node& node);

  /// The error of an element of a take, a sort or an argsort.
  double of(const Node& node, std::size_t i, double value) const;

  /// What underflows where the taken element does.
  double underflow(const Node& node, std::size_t i, const Doubles& underflows) const;

 private:
  Operand operand(const Node& node, std::size_t argument, std::size_t i) const;
  double taken(const Node& node, std::size_t i, double value) const;
  double ordered(const Node& node, std::size_t i, double value) const;

  const Doubles& values_;
  const Doubles& errors_;
  std::vector<reference::formula::detail::Candidates> candidates_;  ///< of a sort or argsort; -1: a NaN is in the row
};

}  // namespace assay::validation::formula
