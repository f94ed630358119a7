// How far rounding may carry sums, differences and products over every order and every road: they are polynomials in
// what a kernel reads or has from functions. Derivation: docs/formula.md, "Exact values" and "Roads".
#pragma once

#include <cstdint>
#include <vector>

#include "validation/formula/element_errors.h"
#include "validation/formula/joins.h"
#include "validation/formula/polynomial.h"
#include "validation/formula/reduction_errors.h"
#include "validation/formula/shares.h"

namespace assay::validation::formula {

/// The errors of these operations, node by node in the graph's order. `errors` are the bounds on the nodes so far.
class PolynomialErrors {
 public:
  PolynomialErrors(const Graph& graph, const Doubles& values, const Doubles& errors, const Arithmetic& arithmetic);

  /// Whether the errors of node `n`, the next one, come from here.
  bool begin(std::size_t n);

  /// The bound on element `i` of that node, 0 where every order and every road is exact.
  double of(std::size_t i);

  /// Adds the errors of underflow and of declared roundings to the element that was asked for last.
  void add(double further);

  /// The bound on an element that a function or a quotient reads. A kernel may scale a product of values, or divide its
  /// factors, before it rounds: exp(q k) as 2^(q k log2 e), (x w) / s as x (w / s).
  double before_function(std::int32_t node, std::size_t i) const;

 private:
  struct Bound {
    double error = 0;
    Polynomial polynomial = {};
  };

  /// An element that is added, or may be.
  struct Source {
    std::size_t element = 0;
    bool is_sure = true, is_here = true;
  };

  /// A factor of a product of matrices.
  struct Factor {
    Operand x;
    Polynomial polynomial;
  };

  void find_sources();
  Factor factor(std::int32_t node, std::size_t i) const;
  std::int32_t passed_on(const Node& node, std::size_t i) const;
  Polynomial at(std::int32_t node, std::size_t i) const;
  Operand operand(std::int32_t node, std::size_t i) const;
  static Bound read(Operand x) { return {x.error, polynomial_of(x)}; }
  Bound of_operation(std::size_t i, double value);
  Bound sum_of_two(std::size_t i, double value) const;
  bool is_constant(std::int32_t node, std::size_t i) const;
  Bound product(Operand a, Operand b, const Polynomial& of_a, const Polynomial& of_b, double value) const;
  Bound quotient(std::size_t i, double value) const;
  double underflow_of_terms(double terms) const;
  Bound sum(std::size_t i, double value);
  Bound scattered(std::size_t i, double value);
  Bound of_joined(Bound bound, const Polynomial& joined, double value) const;
  Bound cumulative(std::size_t i, double value);
  Bound sum_of_terms(const Polynomial& all, bool are_exact, double value) const;
  Bound sum_of(const SumErrors& errors, Polynomial all, bool are_exact, double value) const;
  bool is_exact_sum(const Polynomial& all) const;
  double of_partial_sums(const SumErrors& errors) const;
  double of_additions(const Polynomial& sum, double value) const;

  const Graph& graph_;
  const Doubles& values_;
  const Doubles& errors_;
  ElementErrors elements_;
  NumberFormat computing_, accumulating_;
  Dtype accumulate_;
  bool int32_sums_;
  PartialSums partial_;
  std::optional<Kept> products_;
  bool flushes_;
  Joins joins_terms_;
  Shares shares_;
  const Node* node_ = nullptr;
  bool joins_ = false;  ///< whether the terms of the node's operands may be added in another order
  std::vector<std::vector<Polynomial>> polynomials_;  ///< by node; empty for nodes that are read
  std::vector<Operand> terms_;
  std::vector<std::vector<Source>> sources_;  ///< of the elements of a scatter or add_at
  CumulativeErrors cumulative_;
  Polynomial so_far_;  ///< of a cumulative sum, the monomials of its terms
  bool so_far_is_exact_ = true;
};

}  // namespace assay::validation::formula
