// A formula that is evaluated in a number format, beside its exact values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "reference/number/big_float.h"
#include "validation/formula/bounds.h"

namespace assay::validation::formula {

/// An operation of the formula, and one time that it was computed.
struct ExplainedOperation {
  std::string expression;  ///< "q - mean * mean"
  std::int32_t line = 0;   ///< of the formula's source; 0 if it is not known
  std::string event;       ///< "1000194 - 1000193.75 = 0.25, exactly 0.579651857"
};

using InputArrays = std::map<std::string, std::vector<double>>;  ///< by name

class Computed {
 public:
  using Exact = reference::formula::Values<reference::BigFloat>;

  /// Each operation is rounded to the format, and a sum is taken from the first term to the last. The graph must
  /// outlive this, and the precision of BigFloat at the call stay what it is. Throws std::invalid_argument for an input
  /// that is missing or has another number of elements than the graph's.
  Computed(const Graph& graph, const InputArrays& inputs, Dtype dtype);

  const Graph& graph() const { return graph_; }
  const NumberFormat& format() const { return format_; }
  int bits() const;  ///< of the format's significand
  const Doubles& values() const { return values_; }
  const Doubles& errors() const { return errors_; }  ///< value - exact value; NaN where either is no number
  const Exact& exact() const { return exact_; }

  double relative_error(std::size_t n, std::size_t i) const;
  /// What the operation itself adds to the error: its result less the exact one of the same operands.
  double rounding(std::size_t n, std::size_t i) const;
  ExplainedOperation operation(std::size_t n, std::size_t i) const;

 private:
  const Graph& graph_;
  NumberFormat format_;
  Doubles values_;
  Exact exact_, as_computed_;  ///< as_computed_: the values
  Doubles errors_;
};

}  // namespace assay::validation::formula
