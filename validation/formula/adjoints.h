// Bounds by adjoints, for formulas in which errors cancel or die out on their way to a result, as in a recurrence that
// contracts. With the rests r_k of slopes.h, and all values exact, the chain rule says without a remainder
//
//   computed_y - y  =  sum over the intermediate values x_k of  (dy / dx_k) r_k
//
// so that  sum_k |dy / dx_k| |r_k|  bounds the error of y in all orders: what is left out in the first order is in r_k,
// which is bounded by the errors of the arguments of x_k. Derivation: docs/formula.md, "The bound".
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "validation/formula/slopes.h"

namespace assay::validation::formula {

class Adjoints {
 public:
  /// `errors` are the bounds on the nodes so far.
  Adjoints(const Graph& graph, const Doubles& values, const Doubles& errors, const Arithmetic& arithmetic);

  /// The smaller bounds on the next node, whose running ones are given. In a recurrence, looks for smaller ones where
  /// the running ones are so wide that terms of second order count, and on a result.
  std::vector<double> sharpened(std::vector<double> running, bool is_result);

 private:
  /// dy / dx. What comes through the share of a maximum, which other roads do not take, adds up in size.
  struct Adjoint {
    double signed_sum = 0, aside = 0;
    double size() const { return std::abs(signed_sum) + aside; }
  };

  bool is_wide(std::size_t n, std::size_t i, double error) const;
  double bound(std::size_t n, std::size_t i, double enough);
  void visit(const Slope& to, Adjoint adjoint);

  const Graph& graph_;
  const Doubles& values_;
  bool is_used_;
  double wide_;
  double near_roads_;
  Slopes slopes_;
  Doubles rests_;  ///< NaN: not computed yet
  Doubles running_;
  std::vector<std::vector<Adjoint>> adjoints_;
  std::vector<std::vector<std::int64_t>> passes_;  ///< the pass that reached an element last
  std::vector<std::vector<std::size_t>> reached_;
  std::int64_t pass_ = 0;
  std::int64_t work_ = 0;
};

}  // namespace assay::validation::formula
