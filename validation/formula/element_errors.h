// How far rounding may carry one element of an elementwise operation of a formula, from the errors of its operands
// (Higham 2002, sec. 3.3). Derivation: docs/formula.md, "The bound".
#pragma once

#include "validation/core/infinity.h"
#include "validation/formula/bounds.h"

namespace assay::validation::formula {

/// Roundings of one operation that a kernel may spend: other roads to the same mathematics round a factor that the
/// formula does not, a reciprocal in the place of a quotient, a rescaling (docs/formula.md, "Roads").
inline constexpr double roads = 2;

/// The largest size of a value that has a bound: another road may meet larger values than the formula.
double usable_largest(const NumberFormat& format);

/// An exact value, and the bound on what a kernel has in its place.
struct Operand {
  double value = 0;
  double error = 0;
};

/// The errors of single operations in a kernel's arithmetic. `value` is the operation's exact result.
class ElementErrors {
 public:
  explicit ElementErrors(const Arithmetic& arithmetic);

  /// For all functions but exp, whose error depends on how its argument came about.
  double unary(Op op, Operand x, double value) const;
  /// For all but sums, differences and finite products (polynomials.h).
  double binary(Op op, Operand a, Operand b, double value) const;
  /// For a maximum's share of its gradient. At a tie every share from 0 to 1 is right, and rounding may make or break
  /// one.
  double share(Operand tie, Operand ties, double value) const;
  static double choice(Operand condition, Operand a, Operand b);
  /// For a where by such a share: what lies between the two is right at a tie.
  static double shared_choice(Operand share, Operand a, Operand b);

  /// `count` roundings of a result, and what underflows.
  double rounding(double value, double count) const;
  bool is_number(double x) const;  ///< in the type in which the kernel computes
  bool is_exact_sum(double a, double b, double sum) const;
  /// The largest size of a value that has a bound.
  double largest() const;

 private:
  double quotient(Operand a, Operand b, double value) const;
  double log_sum(Operand a, Operand b, double value) const;
  double power(Operand x, Operand p, double value) const;
  static double power_near_zero(Operand x, Operand p, double value);

  double exp_error_;
  Dtype compute_;
  NumberFormat format_;
};

}  // namespace assay::validation::formula
